"""DINO (Zhang et al., ICLR 2023): Deformable DETR with denoising and queries from the encoder.

The settings are mmdet's of four levels: 900 queries, no dropout, 2048 channels in the feed-forward
layers, 100 denoising queries. A run config adds the backbone as for deformable_detr.py.
"""

_base_ = './deformable_detr.py'

deformable_attention = dict(dropout=0.0)
attention = dict(dropout=0.0)
ffn = dict(feedforward_channels=2048, ffn_drop=0.0)

model = dict(
    type='vitbackbones.DINO',
    num_queries=900,
    with_box_refine=True,
    as_two_stage=True,
    encoder=dict(layer_cfg=dict(self_attn_cfg=deformable_attention, ffn_cfg=ffn)),
    decoder=dict(
        layer_cfg=dict(self_attn_cfg=attention, cross_attn_cfg=deformable_attention, ffn_cfg=ffn)
    ),
    positional_encoding=dict(offset=0.0, temperature=20),
    bbox_head=dict(type='DINOHead', loss_cls=dict(loss_weight=1.0)),
    dn_cfg=dict(
        label_noise_scale=0.5,
        box_noise_scale=1.0,
        group_cfg=dict(dynamic=True, num_groups=None, num_dn_queries=100),
    ),
    test_cfg=dict(max_per_img=300),
)
