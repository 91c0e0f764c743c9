"""Mask R-CNN (He et al., ICCV 2017): Faster R-CNN with a mask of 28 x 28 for each box.

The settings are mmdet's. It learns from data with masks: ``LoadAnnotations(with_mask=True)`` in
the pipeline, ``segmentation`` in the annotations. A run config adds the backbone as for
faster_rcnn.py.
"""

_base_ = './faster_rcnn.py'

model = dict(
    type='MaskRCNN',
    data_preprocessor=dict(pad_mask=True),
    roi_head=dict(
        mask_roi_extractor=dict(
            type='SingleRoIExtractor',
            roi_layer=dict(type='RoIAlign', output_size=14, sampling_ratio=0),
            out_channels=256,
            featmap_strides=[4, 8, 16, 32],
        ),
        mask_head=dict(
            type='FCNMaskHead',
            num_convs=4,
            in_channels=256,
            conv_out_channels=256,
            num_classes=80,
            loss_mask=dict(type='CrossEntropyLoss', use_mask=True, loss_weight=1.0),
        ),
    ),
    train_cfg=dict(rcnn=dict(assigner=dict(match_low_quality=True), mask_size=28)),
    test_cfg=dict(rcnn=dict(mask_thr_binary=0.5)),
)
