"""Mask R-CNN on plain backbones at 1024 pixels, COCO, in ViTDet's manner.

Source: ViTDet (Li et al., ECCV 2022), mask_rcnn_vitdet_b_100ep of detectron2.
Nearest published: 51.6 / 45.9 (AP of boxes / of masks, COCO val2017, ViT-B pretrained by MAE, of
    detectron2), for the backbones of which nothing was published.
Protocol: 100 epochs, batch 64 (64 GPUs x 1 image), AdamW 1e-4, decay 0.1, layer-wise rates of 0.7,
    warm-up of 250 steps, divided by 10 after epochs 89 and 96; the scale jittered by 0.1 to 2,
    crops of 1024; stochastic depth 0.1.
Assumed: mmdet's heads in place of deeper ones with LayerNorms, and images padded to the largest of
    a batch in place of 1024 x 1024.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds a plain backbone with its weights and windows.
"""

_base_ = [
    '../models/mask_rcnn.py',
    '../datasets/coco_instance_1024.py',
    '../schedules/vitdet_100e.py',
    '../default_runtime.py',
]

train_dataloader = dict(batch_size=1)
