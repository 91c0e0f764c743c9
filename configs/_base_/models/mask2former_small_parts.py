"""What makes Mask2Former small: 64 channels, 20 queries, 1 + 3 layers, 1024 points."""

small_attention = dict(embed_dims=64, num_heads=4)

small_head = dict(
    feat_channels=64,
    out_channels=64,
    num_queries=20,
    pixel_decoder=dict(
        norm_cfg=dict(num_groups=16),
        encoder=dict(
            num_layers=1,
            layer_cfg=dict(
                self_attn_cfg=small_attention,
                ffn_cfg=dict(embed_dims=64, feedforward_channels=256),
            ),
        ),
        positional_encoding=dict(num_feats=32),
    ),
    positional_encoding=dict(num_feats=32),
    transformer_decoder=dict(
        num_layers=3,
        layer_cfg=dict(
            self_attn_cfg=small_attention,
            cross_attn_cfg=small_attention,
            ffn_cfg=dict(embed_dims=64, feedforward_channels=256),
        ),
    ),
)
small_matching = dict(num_points=1024)
