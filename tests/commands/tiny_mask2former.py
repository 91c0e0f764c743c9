# ruff: noqa: C408
"""The smallest Mask2Former: panoptic segments, and the instances among them."""

_base_ = './tiny_mask_rcnn.py'

width, things, stuff = 16, ('circle', 'square', 'triangle'), ('ground',)
attention = dict(embed_dims=width, num_heads=2, batch_first=True)
ffn = dict(embed_dims=width, feedforward_channels=width, act_cfg=dict(type='ReLU', inplace=True))
head = dict(num_things_classes=len(things), num_stuff_classes=len(stuff))
model = dict(
    _delete_=True,
    type='Mask2Former',
    data_preprocessor=dict(
        type='DetDataPreprocessor', mean=[128.0] * 3, std=[64.0] * 3, pad_mask=True, pad_seg=True
    ),
    backbone={{_base_.model.backbone}},
    panoptic_head=dict(
        **head,
        type='Mask2FormerHead',
        in_channels=[16, 16, 32, 32],
        strides=[4, 8, 16, 32],
        feat_channels=width,
        out_channels=width,
        num_queries=8,
        num_transformer_feat_level=3,
        pixel_decoder=dict(
            type='MSDeformAttnPixelDecoder',
            num_outs=3,
            norm_cfg=dict(type='GN', num_groups=2),
            encoder=dict(
                num_layers=1,
                layer_cfg=dict(
                    self_attn_cfg=dict(
                        embed_dims=width, num_heads=2, num_levels=3, num_points=2, batch_first=True
                    ),
                    ffn_cfg=ffn,
                ),
            ),
            positional_encoding=dict(num_feats=width // 2, normalize=True),
        ),
        positional_encoding=dict(num_feats=width // 2, normalize=True),
        transformer_decoder=dict(
            return_intermediate=True,
            num_layers=2,
            layer_cfg=dict(self_attn_cfg=attention, cross_attn_cfg=attention, ffn_cfg=ffn),
        ),
        loss_cls=dict(type='CrossEntropyLoss', class_weight=[1.0] * 4 + [0.1], loss_weight=2.0),
        loss_mask=dict(type='CrossEntropyLoss', use_sigmoid=True, loss_weight=5.0),
        loss_dice=dict(type='DiceLoss', naive_dice=True, eps=1.0, loss_weight=5.0),
    ),
    panoptic_fusion_head=dict(type='MaskFormerFusionHead', **head),
    train_cfg=dict(
        num_points=64,
        oversample_ratio=3.0,
        importance_sample_ratio=0.75,
        assigner=dict(
            type='HungarianAssigner',
            match_costs=[
                dict(type='ClassificationCost', weight=2.0),
                dict(type='CrossEntropyLossCost', weight=5.0, use_sigmoid=True),
                dict(type='DiceCost', weight=5.0, pred_act=True, eps=1.0),
            ],
        ),
        sampler=dict(type='MaskPseudoSampler'),
    ),
    test_cfg=dict(
        panoptic_on=True, instance_on=True, max_per_image=8, object_mask_thr=0.0, iou_thr=0.0
    ),
)

annotations = dict(type='LoadPanopticAnnotations')
train_pipeline = [{{_base_.load}}, annotations, {{_base_.resize}}, dict(type='PackDetInputs')]
test_pipeline = [{{_base_.load}}, {{_base_.resize}}, annotations, dict(type='PackDetInputs')]
dataset = dict(
    type='CocoPanopticDataset',
    metainfo=dict(classes=things + stuff, thing_classes=things, stuff_classes=stuff),
)
train_dataloader = dict(
    dataset=dict(
        **dataset,
        ann_file='annotations/panoptic_train.json',
        data_prefix=dict(seg='annotations/panoptic_train/'),
        pipeline=train_pipeline,
    )
)
val_dataloader = dict(
    dataset=dict(
        **dataset,
        ann_file='annotations/panoptic_val.json',
        data_prefix=dict(seg='annotations/panoptic_val/'),
        pipeline=test_pipeline,
    )
)
test_dataloader = val_dataloader
folder = 'data/annotations/'
panoptic = folder + 'panoptic_val'
val_evaluator = [
    dict(type='CocoPanopticMetric', ann_file=panoptic + '.json', seg_prefix=panoptic),
    dict(type='CocoMetric', ann_file=folder + 'instances_val.json', metric=['bbox', 'segm']),
]
test_evaluator = val_evaluator
