"""SReT-T, ImageNet: the path that this config had first; see imagenet/cls_sret_t.py."""

_base_ = 'imagenet/cls_sret_t.py'
