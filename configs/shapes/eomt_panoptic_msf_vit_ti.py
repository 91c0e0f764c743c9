"""A small EoMT for things and stuff on a small MSF-ViT, Shapes.

The head of eomt_panoptic_dinov2_l_coco; the queries join the last two of four blocks.
Hardware: two CPU cores or any GPU.

    python -m vitbackbones.data.shapes data/shapes
    python tools/train.py configs/shapes/eomt_panoptic_msf_vit_ti.py
"""

_base_ = [
    '../_base_/models/eomt_panoptic_small.py',
    '../_base_/datasets/shapes_panoptic.py',
    '../_base_/schedules/setr_shapes.py',
    '../_base_/detection_iterations_runtime.py',
]

model = dict(
    backbone=dict(
        type='vitbackbones.MSFViT',
        arch=dict(embed_dims=128, depth=4, num_heads=2),
        img_size=128,
    ),
)
optim_wrapper = dict(optimizer=dict(lr=5e-4), clip_grad=dict(max_norm=1.0, norm_type=2))
default_hooks = dict(
    checkpoint=dict(interval=1000, save_best='coco_panoptic/PQ', rule='greater'),
    logger=dict(interval=25),
)
