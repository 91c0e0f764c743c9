"""Repetition: each of six blocks once, twice, twice with projections, with coefficients as well.

Recursion adds computation and no parameters, the projections (NLL) add a few. Each row is compared
with the one before it. The paper's pairs are of three tables: DeiT-Ti once and twice (Table 1), six
blocks twice without and with projections (Section 5.2), SReT-TL without and with coefficients
(Table 13).

    OMP_NUM_THREADS=1 vitbackbones compare configs/studies/repetition.py --jobs 2
"""

base = '_base_/vit_camvid_crops.py'
source = 'Shen et al., "Sliced Recursive Transformer", 2022: ImageNet top-1 (the row before it)'
metric = 'accuracy/top1'
length = 3
seeds = (0, 1, 2)
baseline = 'once'

_six = {'model.backbone.arch.depth': 6}
_twice = {**_six, 'model.backbone.recursion': dict(passes=2)}
_projected = {**_six, 'model.backbone.recursion': dict(passes=2, nll_ratio=1.0)}
_coefficients = {'model.backbone.shortcut': dict(type='CoefficientShortcut')}
variants = dict(
    once=dict(options=_six, paper=72.2),
    twice=dict(options=_twice, paper=74.0),
    twice_nll=dict(options=_projected, paper=(70.3, 67.6), against='twice'),
    twice_nll_coefficients=dict(
        options={**_projected, **_coefficients}, paper=(75.2, 74.7), against='twice_nll'
    ),
)
