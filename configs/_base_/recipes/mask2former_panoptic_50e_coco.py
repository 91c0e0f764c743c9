"""Mask2Former for panoptic segmentation on COCO.

Source: Mask2Former (Cheng et al., CVPR 2022), configs of the repository and of mmdetection.
Protocol: 368 750 iterations (50 epochs) at batch 16 (8 GPUs x 2 images), AdamW 1e-4, backbone 1e-5,
    divided by 10 after 327 778 and 355 092, gradients of norm 0.01; images of 0.1 to 2 times 1024
    pixels, crops of 1024 x 1024; tested at a short side of 800.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds a backbone, and says how the head reads its maps.
"""

_base_ = [
    '../models/mask2former_panoptic.py',
    '../datasets/coco_panoptic.py',
    '../schedules/mask2former_50e.py',
    '../detection_iterations_runtime.py',
]

default_hooks = dict(checkpoint=dict(save_best='coco_panoptic/PQ', rule='greater'))
