"""SETR-MLA on ADE20K.

Source: SETR (Zheng et al., CVPR 2021), configs of the repository.
Nearest published: 46.15 / 47.71 (mIoU, one scale / several with flips, SETR-MLA on DeiT-B, SETR's
    README), for the backbones of which nothing was published.
Protocol: 160k iterations at batch 16 (8 GPUs x 2 images), SGD 1e-3, heads at ten times that, no
    decay; crops of 512 x 512; tested in windows of 512 at steps of 341. --tta: six scales and
    flips.
Assumed for pyramids (PVT, MSF-Swin, SReT): they are brought to stride 16 in the neck, by averages
    over cells from finer maps and bilinearly from stride 32. That is the resolution that the head
    was made for: it keeps its function and cost, so that the table compares backbones. (At stride 8
    the classifier alone costs four times as much.) Naive and PUP would read the last map, the only
    one that has passed all blocks, with auxiliary_head=None.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the backbone with its weights.
"""

_base_ = [
    '../models/setr_mla.py',
    '../datasets/ade20k.py',
    '../schedules/setr_160k.py',
    '../segmentation_runtime.py',
]
