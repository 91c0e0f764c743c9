"""Dropout of 0, 0.1 and 0.3 in a plain ViT, with the identity and with augmented shortcuts.

The paper's augmented shortcuts lose less by dropout than the identity does. They are added as its
Eq. 8 says (scale 1), and compared with the identity at the same rate of dropout.

    OMP_NUM_THREADS=1 python tools/compare.py configs/studies/dropout.py --jobs 2
"""

base = '_base_/vit_fashion_mnist.py'
source = 'Tang et al., "Augmented Shortcuts", 2021: ImageNet top-1, Table 8'
metric = 'accuracy/top1'
length = 900
seeds = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
rates = (3e-4, 1e-3, 2e-3)
smallest_effect = 0.4
baseline = 'identity'

_drop = 'model.backbone.drop_rate'
_augmented = {
    'model.backbone.shortcut': dict(type='AugmentedShortcut', paths=2, blocks=4, scale=1.0)
}
variants = dict(
    identity=dict(paper=79.8),
    identity_01=dict(options={_drop: 0.1}, paper=77.3, expected=(-2.5, -0.3)),
    identity_03=dict(options={_drop: 0.3}, paper=69.8, expected=(-8, -1.5)),
    augmented=dict(options=_augmented, paper=80.9, expected=(-0.4, 0.5)),
    augmented_01=dict(
        options={**_augmented, _drop: 0.1},
        paper=79.1,
        against='identity_01',
        expected=(-0.4, 0.8),
    ),
    augmented_03=dict(
        options={**_augmented, _drop: 0.3},
        paper=75.1,
        against='identity_03',
        expected=(-0.4, 2),
    ),
)
