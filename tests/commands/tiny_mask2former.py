# ruff: noqa: C408
"""The small Mask2Former on Shapes, which finds segments with random weights, too."""

_base_ = '../../configs/shapes/mask2former_panoptic_pvt_s.py'

model = dict(test_cfg=dict(max_per_image=8, object_mask_thr=0.0, iou_thr=0.0))
