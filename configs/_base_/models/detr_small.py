"""DETR, small enough to learn on two CPU cores within minutes.

128 channels, 1 + 3 layers, 12 queries, no dropout. Twelve queries leave "nothing here" a
smaller share of the class loss than a hundred do, so it weighs 0.3 and not 0.1. As for the full
one, a run config adds the backbone.
"""

_base_ = './detr.py'

attention = dict(embed_dims=128, attn_drop=0.0, dropout_layer=dict(type='Dropout', drop_prob=0.0))
ffn = dict(embed_dims=128, feedforward_channels=512, ffn_drop=0.0)

model = dict(
    num_queries=12,
    neck=dict(out_channels=128),
    encoder=dict(num_layers=1, layer_cfg=dict(self_attn_cfg=attention, ffn_cfg=ffn)),
    decoder=dict(
        num_layers=3,
        layer_cfg=dict(self_attn_cfg=attention, cross_attn_cfg=attention, ffn_cfg=ffn),
    ),
    positional_encoding=dict(num_feats=64, temperature=20),
    bbox_head=dict(num_classes=3, embed_dims=128, loss_cls=dict(bg_cls_weight=0.3)),
    test_cfg=dict(max_per_img=12),
)
