"""Mask2Former for things and stuff on Swin-T, COCO.

Reproduces: Mask2Former, repository's model zoo.
Published: 53.2 (PQ, COCO val2017; AP of masks 43.3).
Source: Mask2Former (Cheng et al., CVPR 2022), configs of the repository and of mmdetection.
Protocol: 368 750 iterations (50 epochs) at batch 16 (8 GPUs x 2 images), AdamW 1e-4, backbone 1e-5,
    divided by 10 after 327 778 and 355 092, gradients of norm 0.01; images of 0.1 to 2 times 1024
    pixels, crops of 1024 x 1024; tested at a short side of 800.
Maps: all four, at their own widths; stochastic depth 0.3.
Assumed: as in timm, the last map alone has a final LayerNorm; there each map has one.
Parameters: 47.434 M.
Hardware: 8 GPUs x 2 images, as published.
Weights: ImageNet checkpoint in checkpoints/swin_t.pth.

    python tools/train.py configs/coco/mask2former_panoptic_swin_t.py
    bash tools/dist_train.sh configs/coco/mask2former_panoptic_swin_t.py 8
"""

_base_ = [
    '../_base_/models/mask2former_panoptic.py',
    '../_base_/datasets/coco_panoptic.py',
    '../_base_/schedules/mask2former_50e.py',
    '../_base_/detection_iterations_runtime.py',
]

model = dict(
    backbone=dict(
        type='vitbackbones.Swin',
        arch='t',
        drop_path_rate=0.3,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/swin_t.pth'),
    ),
    neck=dict(out_channels=None),
)

default_hooks = dict(checkpoint=dict(save_best='coco_panoptic/PQ', rule='greater'))
