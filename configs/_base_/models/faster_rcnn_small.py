"""Faster R-CNN for pictures of 128 pixels, for two CPU cores.

Three levels, 64 channels, 100 proposals, linear layers of 128. A run config adds a small backbone
as for the full one.
"""

_base_ = './faster_rcnn.py'

model = dict(
    neck=dict(out_strides=[8, 16, 32], out_channels=64, num_outs=3),
    rpn_head=dict(
        in_channels=64,
        feat_channels=64,
        anchor_generator=dict(scales=[4], strides=[8, 16, 32]),
    ),
    roi_head=dict(
        bbox_roi_extractor=dict(out_channels=64, featmap_strides=[8, 16, 32]),
        bbox_head=dict(in_channels=64, fc_out_channels=128, num_classes=3),
    ),
    train_cfg=dict(
        rpn=dict(sampler=dict(num=64)),
        rpn_proposal=dict(nms_pre=200, max_per_img=100),
        rcnn=dict(sampler=dict(num=32)),
    ),
    test_cfg=dict(rpn=dict(nms_pre=200, max_per_img=100)),
)
