"""Attention of a plain ViT: dot product and mean-shift, with matrices of their own or shared.

A letter for each role, equal letters are one matrix: query, key, value and output (W) of the dot
product; of mean-shift attention the probe (P), too. Rows that share are compared with the same
attention without sharing.

    OMP_NUM_THREADS=1 vitbackbones compare configs/studies/attention.py --jobs 2
"""

base = '_base_/simple_vit_camvid_crops.py'
source = 'Kobayashi, "Mean-Shift Feature Transformer", 2024: ImageNet top-1, ViT-S, Tables 1 and 2'
metric = 'accuracy/top1'
length = 3
seeds = (0, 1, 2)
baseline = 'dot'

_mean_shift = {'model.backbone.attention': dict(type='MeanShiftAttention')}
_sharing = 'model.backbone.attention.sharing'
variants = dict(
    dot=dict(paper=78.98),
    dot_QKKW=dict(options={_sharing: 'QKKW'}, paper=78.38),
    dot_QQVV=dict(options={_sharing: 'QQVV'}, paper=74.64),
    mean_shift=dict(options=_mean_shift, paper=79.79),
    mean_shift_QKKKW=dict(
        options={**_mean_shift, _sharing: 'QKKKW'}, paper=78.82, against='mean_shift'
    ),
)
