"""SETR-MLA on Shapes whose backbone has dot-product attention, or mean-shift attention.

python -m vitbackbones.data.shapes data/shapes
OMP_NUM_THREADS=1 python tools/compare.py configs/studies/setr_attention.py --jobs 2
"""

base = '_base_/setr_shapes.py'
source = 'Kobayashi, "Mean-Shift Feature Transformer", 2024: mIoU of SETR on ADE20K, Table 7, ViT-S'
metric = 'mIoU'
length = 1000
seeds = (0, 1, 2, 3, 4)
rates = (5e-4, 1e-3, 2e-3)
smallest_effect = 1.0
baseline = 'dot_product'

variants = dict(
    dot_product=dict(paper=41.81),
    mean_shift=dict(
        options={'model.backbone.attention': dict(type='MeanShiftAttention')},
        paper=44.01,
        expected=(-1, 1.5),
    ),
)
