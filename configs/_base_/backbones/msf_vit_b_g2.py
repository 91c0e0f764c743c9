"""MSF ViT-B with projections in two groups: one map of stride 16."""

backbone = dict(
    type='vitbackbones.MSFViT',
    arch='b',
    groups=2,
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/msf_vit_b_g2.pth'),
)
maps = dict(in_channels=[768], in_strides=[16])
