"""DETR-DC5 on ResNet-50, COCO: the last stage dilated, so that the map has stride 16.

Reproduces: nothing by training here; for the weights that DETR's authors released.
Released: 43.3 AP, 63.1 AP50 (COCO val2017, 500 epochs with crops; facebookresearch/detr's model
    zoo and hubconf.py), detr-r50-dc5-f0fb7ef5.pth. Not evaluated here.
Assumed: PVT's 50 epochs, as in detr_r50_coco, where it is trained with this config. Evaluate one
    image at a time: the released weights were trained so, and lose with padding (its README).
Parameters: 41.575 M, 41.300 of them trained.
Hardware: 8 GPUs x 2 images.
Weights: ImageNet checkpoint in checkpoints/resnet50-0676ba61.pth (torchvision).

    python tools/test.py configs/coco/detr_r50_dc5.py checkpoints/detr-r50-dc5-f0fb7ef5.pth
    python tools/train.py configs/coco/detr_r50_dc5.py
"""

_base_ = 'detr_r50.py'

model = dict(
    backbone=dict(type='vitbackbones.DilatedResNet', strides=(1, 2, 2, 1), dilations=(1, 1, 1, 2)),
    neck=dict(out_strides=[16]),
)
