"""DETR on Aug-ViT-S, COCO: the path that this config had first; see coco/detr_aug_vit_s.py."""

_base_ = 'coco/detr_aug_vit_s.py'
