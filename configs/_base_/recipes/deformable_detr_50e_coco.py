"""Deformable DETR on COCO, its own protocol of 50 epochs.

Source: Deformable DETR (Zhu et al., ICLR 2021), as mmdetection has it.
Nearest published: 44.3 (AP, COCO val2017, on ResNet-50, of mmdetection), for the backbones of which
    nothing was published.
Protocol: 50 epochs, batch 32 (16 GPUs x 2 images), AdamW 2e-4, backbone and sampling places 2e-5,
    decay 1e-4, divided by 10 after epoch 40; short side 480 to 800, half of the images cropped
    before, flips.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the backbone with its weights.
"""

_base_ = [
    '../models/deformable_detr.py',
    '../datasets/coco_detection_crops.py',
    '../schedules/deformable_detr_50e.py',
    '../default_runtime.py',
]
