"""DETR on Aug-ViT-S, BCCD: the path that this config had first; see bccd/detr_aug_vit_s.py."""

_base_ = 'bccd/detr_aug_vit_s.py'
