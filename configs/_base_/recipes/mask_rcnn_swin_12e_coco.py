"""Mask R-CNN on COCO, the 1x schedule that Swin publishes.

Source: Swin (Liu et al., ICCV 2021), mask_rcnn_swin_tiny_patch4_window7_mstrain_480-800_adamw_1x of
    the repository for detection.
Protocol: 12 epochs, batch 16 (8 GPUs x 2 images), AdamW 1e-4, decay 0.05 of neither norms nor
    position biases, warm-up of 500 steps, divided by 10 after epochs 8 and 11; short side 480 to
    800, half of the images cropped before, flips. Published in float16; --amp takes bfloat16 where
    the GPU has it.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the backbone with its weights.
"""

_base_ = [
    '../models/mask_rcnn.py',
    '../datasets/coco_instance_crops.py',
    '../schedules/detector_swin_12e.py',
    '../default_runtime.py',
]
