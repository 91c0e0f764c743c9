# ruff: noqa: C408
"""The small Mask R-CNN on Shapes, which finds something with random weights, too."""

_base_ = '../../configs/shapes/mask_rcnn_pvt_s.py'

model = dict(test_cfg=dict(rcnn=dict(score_thr=0.0, max_per_img=10)))
