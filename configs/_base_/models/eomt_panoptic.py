"""EoMT for panoptic segmentation in mmdet, COCO's 80 things and 53 kinds of stuff.

It answers with instances of the things, too. A run config adds a backbone as for eomt.py.
"""

_base_ = './eomt_instance.py'

model = dict(
    data_preprocessor=dict(
        pad_seg=True,
        seg_pad_value=255,
        batch_augments=[
            dict(
                type='BatchFixedSizePad',
                size=(640, 640),
                pad_mask=True,
                mask_pad_value=0,
                pad_seg=True,
                seg_pad_value=255,
            )
        ],
    ),
    panoptic_head=dict(num_stuff_classes=53),
    panoptic_fusion_head=dict(num_stuff_classes=53),
    # masks count where they are surer than 0.5
    test_cfg=dict(panoptic_on=True, iou_thr=0.8, filter_low_score=True),
)
