"""Attention of a plain ViT: dot product and mean-shift, with matrices of their own or shared.

A letter for each role, equal letters are one matrix: query, key, value and output (W) of the dot
product; of mean-shift attention the probe (P), too. Rows that share are compared with the same
attention without sharing.

    OMP_NUM_THREADS=1 python tools/compare.py configs/studies/sharing.py --jobs 2
"""

base = '_base_/simple_vit_fashion_mnist.py'
source = 'Kobayashi, "Mean-Shift Feature Transformer", 2024: ImageNet top-1, ViT-S, Tables 1 and 2'
metric = 'accuracy/top1'
length = 900
seeds = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
rates = (3e-4, 1e-3, 2e-3)
smallest_effect = 0.4
baseline = 'QKVW'

_attention, _sharing = 'model.backbone.attention', 'model.backbone.attention.sharing'
_mean_shift = {_attention: dict(type='MeanShiftAttention')}
variants = dict(
    QKVW=dict(paper=78.98),
    QQQQ=dict(options={_sharing: 'QQQQ'}, paper=71.34, expected=(-5, -2)),
    QKKQ=dict(options={_sharing: 'QKKQ'}, paper=76.25, expected=(-3, 0)),
    QKVPW=dict(options=_mean_shift, paper=79.79, expected=(-0.5, 0.5)),
    QQQQQ=dict(
        options={**_mean_shift, _sharing: 'QQQQQ'},
        paper=61.13,
        against='QKVPW',
        expected=(-3, -0.5),
    ),
    QQVVV=dict(
        options={**_mean_shift, _sharing: 'QQVVV'}, paper=69.97, against='QKVPW', expected=(-2, 0)
    ),
    QKKKW=dict(
        options={**_mean_shift, _sharing: 'QKKKW'},
        paper=78.82,
        against='QKVPW',
        expected=(-0.5, 0.5),
    ),
)
