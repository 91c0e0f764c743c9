"""Repetition: each of three blocks once, or twice: alone, with projections, with coefficients.

Recursion adds computation and no parameters, the projections (NLL) add a few. Six plain blocks have
the computation of three that run twice. The paper's pairs are of three tables: DeiT-Ti once and
twice (Table 1); twelve plain blocks and six that run twice, without and with projections
(Section 5.2); SReT-TL without and with coefficients (Table 3).

    OMP_NUM_THREADS=1 python tools/compare.py configs/studies/repetition.py --jobs 2
"""

base = '_base_/vit_fashion_mnist.py'
source = (
    'Shen et al., "Sliced Recursive Transformer", 2022: ImageNet top-1 (what it is compared with)'
)
metric = 'accuracy/top1'
length = 900
seeds = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
rates = (3e-4, 1e-3, 2e-3)
smallest_effect = 0.4
baseline = 'once'

_three = {'model.backbone.arch.depth': 3}
_twice = {**_three, 'model.backbone.recursion': dict(passes=2)}
_projected = {**_three, 'model.backbone.recursion': dict(passes=2, nll_ratio=1.0)}
_coefficients = {'model.backbone.shortcut': dict(type='CoefficientShortcut')}
variants = dict(
    once=dict(options=_three, paper=72.2),
    twice=dict(options=_twice, paper=74.0, expected=(0.3, 1.5)),
    twice_nll=dict(options=_projected, paper=(70.3, 67.6), against='twice', expected=(-0.3, 0.8)),
    twice_nll_coefficients=dict(
        options={**_projected, **_coefficients},
        paper=(75.2, 74.7),
        against='twice_nll',
        expected=(-0.4, 0.6),
    ),
    six_once=dict(paper=(72.2, 67.6), against='twice', expected=(0, 1)),
)
