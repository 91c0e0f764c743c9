"""A small EoMT for semantic segmentation on a small MSF-ViT, Shapes.

The head of eomt_dinov2_l_ade20k; the queries join the last two of four blocks.
Hardware: two CPU cores or any GPU.

    python -m vitbackbones.data.shapes data/shapes
    python tools/train.py configs/shapes/eomt_msf_vit_ti.py
"""

_base_ = [
    '../_base_/models/eomt_small.py',
    '../_base_/datasets/shapes_segmentation.py',
    '../_base_/schedules/setr_shapes.py',
    '../_base_/segmentation_runtime.py',
]

model = dict(
    backbone=dict(
        type='vitbackbones.MSFViT',
        arch=dict(embed_dims=128, depth=4, num_heads=2),
        img_size=128,
    ),
)
optim_wrapper = dict(optimizer=dict(lr=5e-4), clip_grad=dict(max_norm=1.0, norm_type=2))
default_hooks = dict(checkpoint=dict(interval=1000), logger=dict(interval=25))
