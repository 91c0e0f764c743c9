"""PVT's 50-epoch DETR on COCO, which every backbone here is compared in.

Source: PVT (Wang et al., ICCV 2021), detr_pvt_s_8x2_50ep of the repository.
Protocol: short side 640-800, flips, no crops; batch 16 (8 GPUs x 2 images), AdamW 1e-4, backbone
    1e-5, divided by 10 after epoch 33. What shortcuts learn is not decayed, all else is.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the backbone with its weights. Where nothing was published, compare with the
published rows of detr_deit_s_coco and detr_pvt_s_coco, which share everything but the backbone.
"""

_base_ = [
    '../models/detr.py',
    '../datasets/coco_detection.py',
    '../schedules/detr_50e.py',
    '../default_runtime.py',
]
