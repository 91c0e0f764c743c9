"""DINO for pictures of 128 pixels, for two CPU cores.

128 channels, 1 + 3 layers, 30 queries, three levels, 20 denoising queries. A run config adds a
small backbone as for the full one.
"""

_base_ = './dino.py'

deformable_attention = dict(embed_dims=128, num_levels=3)
attention = dict(embed_dims=128)
ffn = dict(embed_dims=128, feedforward_channels=512)

model = dict(
    num_queries=30,
    num_feature_levels=3,
    neck=dict(out_channels=128, num_outs=3),
    encoder=dict(num_layers=1, layer_cfg=dict(self_attn_cfg=deformable_attention, ffn_cfg=ffn)),
    decoder=dict(
        num_layers=3,
        layer_cfg=dict(self_attn_cfg=attention, cross_attn_cfg=deformable_attention, ffn_cfg=ffn),
    ),
    positional_encoding=dict(num_feats=64),
    bbox_head=dict(num_classes=3, embed_dims=128),
    dn_cfg=dict(group_cfg=dict(num_dn_queries=20)),
    test_cfg=dict(max_per_img=30),
)
