"""Mask2Former (Cheng et al., CVPR 2022) for semantic segmentation in mmseg; the head is mmdet's.

The neck brings the maps of any backbone to strides 4, 8, 16 and 32 and to one width. A run config
adds a backbone:

    model = dict(backbone=dict(type='vitbackbones.PVT', arch='s'))

The published form has no such projection, and the head reads the widths of the backbone. For
backbones with maps of all four strides:

    model = dict(backbone=dict(type='vitbackbones.PVT', arch='s'), neck=dict(out_channels=None))

Another number of classes is set three times: ``model.decode_head.num_classes``, and one weight each
and 0.1 for "no object" in ``model.decode_head.loss_cls.class_weight``.
"""

_base_ = ['./segmentor.py', './mask2former_parts.py']

num_classes = 150

model = dict(
    neck=dict(type='vitbackbones.Levels', out_strides=[4, 8, 16, 32], out_channels=256),
    decode_head=dict(
        **_base_.head,
        num_classes=num_classes,
        align_corners=False,
        train_cfg=_base_.matching,
    ),
)
model['decode_head']['loss_cls']['class_weight'] = [1.0] * num_classes + [0.1]
