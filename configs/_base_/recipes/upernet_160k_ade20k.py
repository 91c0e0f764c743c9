"""UPerNet on ADE20K.

Source: Swin (Liu et al., ICCV 2021), upernet_swin_tiny_patch4_window7_512x512_160k_ade20k of the
    repository for segmentation.
Protocol: 160k iterations at batch 16 (8 GPUs x 2 images), AdamW 6e-5, warm-up of 1500, linear decay
    to 0; norms and position codes are not decayed; crops of 512 x 512, tested in one piece at a
    short side of 512. --tta: six scales and flips.
Nearest published: 44.51 / 45.81 (mIoU, one scale / several with flips, Swin-T, README of the
    repository), for the backbones of which nothing was published.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds a backbone.
"""

_base_ = [
    '../models/upernet.py',
    '../datasets/ade20k.py',
    '../schedules/upernet_160k.py',
    '../segmentation_runtime.py',
]
