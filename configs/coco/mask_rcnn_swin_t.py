"""Mask R-CNN on Swin-T, COCO, 12 epochs.

Reproduces: Swin (Liu et al., ICCV 2021), repository for detection, Mask R-CNN 1x.
Published: 43.7 / 39.8 (AP of boxes / of masks, COCO val2017); 46.0 / 41.6 after 36 epochs.
Source: mask_rcnn_swin_tiny_patch4_window7_mstrain_480-800_adamw_1x of the repository.
Protocol: 12 epochs, batch 16 (8 GPUs x 2 images), AdamW 1e-4, decay 0.05 of neither norms nor
    position biases, warm-up of 500 steps, divided by 10 after epochs 8 and 11; short side 480 to
    800, half of the images cropped before, flips; stochastic depth 0.1, as published for 12 epochs.
    Published in float16; --amp takes bfloat16 where the GPU has it.
Assumed: the last map has the final LayerNorm of the classifier, and the others none; published,
    each of the four has a norm of its own.
Parameters: 47.793 M (the repository prints 48).
Hardware: 8 GPUs x 2 images, as published.
Weights: ImageNet checkpoint in checkpoints/swin_t.pth.

    python tools/train.py configs/coco/mask_rcnn_swin_t.py
    bash tools/dist_train.sh configs/coco/mask_rcnn_swin_t.py 8
"""

_base_ = [
    '../_base_/models/mask_rcnn.py',
    '../_base_/datasets/coco_instance_crops.py',
    '../_base_/schedules/detector_12e.py',
    '../_base_/default_runtime.py',
]

model = dict(
    backbone=dict(
        type='vitbackbones.Swin',
        arch='t',
        drop_path_rate=0.1,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/swin_t.pth'),
    )
)

optim_wrapper = dict(
    optimizer=dict(weight_decay=0.05),
    paramwise_cfg=dict(
        custom_keys={'norm': dict(decay_mult=0.0), 'bias_table': dict(decay_mult=0.0)}
    ),
)
