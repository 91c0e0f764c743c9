"""DINO on COCO, its own protocol of 12 epochs with four levels.

Source: DINO (Zhang et al., ICLR 2023), as mmdetection has it.
Nearest published: 49.0 (AP, COCO val2017, on ResNet-50, of mmdetection), for the backbones of which
    nothing was published.
Protocol: 12 epochs, batch 16 (8 GPUs x 2 images), AdamW 1e-4, backbone 1e-5, decay 1e-4, divided by
    10 after epoch 11; short side 480 to 800, half of the images cropped before, flips. What
    shortcuts learn is not decayed.
Assumed for all backbones: the rate, decay and levels of ResNet-50; strides that a backbone does not
    give are made in the neck.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the backbone with its weights.
"""

_base_ = [
    '../models/dino.py',
    '../datasets/coco_detection_crops.py',
    '../schedules/dino_12e.py',
    '../default_runtime.py',
]
