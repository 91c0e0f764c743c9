"""Head and matching of Mask2Former (Cheng et al., CVPR 2022), the same for all of its tasks.

Names are those of mmdet, where the head comes from, with the scope: mmseg reads them, too.
"""

attention = dict(embed_dims=256, num_heads=8, attn_drop=0.0, proj_drop=0.0, batch_first=True)
relu = dict(type='ReLU', inplace=True)

head = dict(
    type='Mask2FormerHead',
    strides=[4, 8, 16, 32],
    feat_channels=256,
    out_channels=256,
    num_queries=100,
    num_transformer_feat_level=3,
    pixel_decoder=dict(
        type='mmdet.MSDeformAttnPixelDecoder',
        num_outs=3,
        norm_cfg=dict(type='GN', num_groups=32),
        act_cfg=dict(type='ReLU'),
        encoder=dict(
            num_layers=6,
            layer_cfg=dict(
                self_attn_cfg=dict(
                    embed_dims=256,
                    num_heads=8,
                    num_levels=3,
                    num_points=4,
                    dropout=0.0,
                    batch_first=True,
                ),
                ffn_cfg=dict(
                    embed_dims=256,
                    feedforward_channels=1024,
                    num_fcs=2,
                    ffn_drop=0.0,
                    act_cfg=relu,
                ),
            ),
        ),
        positional_encoding=dict(num_feats=128, normalize=True),
    ),
    enforce_decoder_input_project=False,
    positional_encoding=dict(num_feats=128, normalize=True),
    transformer_decoder=dict(
        return_intermediate=True,
        num_layers=9,
        layer_cfg=dict(
            self_attn_cfg=attention,
            cross_attn_cfg=attention,
            ffn_cfg=dict(
                embed_dims=256, feedforward_channels=2048, num_fcs=2, ffn_drop=0.0, act_cfg=relu
            ),
        ),
        init_cfg=None,
    ),
    loss_cls=dict(
        type='mmdet.CrossEntropyLoss', use_sigmoid=False, loss_weight=2.0, reduction='mean'
    ),
    loss_mask=dict(
        type='mmdet.CrossEntropyLoss', use_sigmoid=True, reduction='mean', loss_weight=5.0
    ),
    loss_dice=dict(
        type='mmdet.DiceLoss',
        use_sigmoid=True,
        activate=True,
        reduction='mean',
        naive_dice=True,
        eps=1.0,
        loss_weight=5.0,
    ),
)
matching = dict(
    num_points=12544,
    oversample_ratio=3.0,
    importance_sample_ratio=0.75,
    assigner=dict(
        type='mmdet.HungarianAssigner',
        match_costs=[
            dict(type='mmdet.ClassificationCost', weight=2.0),
            dict(type='mmdet.CrossEntropyLossCost', weight=5.0, use_sigmoid=True),
            dict(type='mmdet.DiceCost', weight=5.0, pred_act=True, eps=1.0),
        ],
    ),
    sampler=dict(type='mmdet.MaskPseudoSampler'),
)
