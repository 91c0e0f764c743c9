"""A small DETR on Shapes whose backbone has the identity as shortcut, or two augmented paths.

The sum is multiplied by 3/4, as the code published for Aug-ViT does. 18 epochs, as `make demo`.

    python -m vitbackbones.data.shapes data/shapes
    OMP_NUM_THREADS=1 python tools/compare.py configs/studies/detr_shortcut.py --jobs 2
"""

base = '_base_/detr_shapes.py'
source = 'Tang et al., "Augmented Shortcuts", 2021: AP of DETR on COCO, Table 9, DeiT-S'
metric = 'coco/bbox_mAP'
length = 18
seeds = (0, 1, 2, 3, 4)
rates = (2.5e-4, 5e-4, 1e-3)
smallest_effect = 2.0
baseline = 'identity'

_paths = dict(type='AugmentedShortcut', paths=2, blocks=4, scale=0.75)
variants = dict(
    identity=dict(paper=33.9),
    augmented=dict(
        options={'model.backbone.shortcut': _paths},
        paper=35.7,
        expected=(-2, 3),
    ),
)
