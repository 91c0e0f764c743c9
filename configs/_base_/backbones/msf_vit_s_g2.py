"""MSF ViT-S with projections in two groups: one map of stride 16."""

backbone = dict(
    type='vitbackbones.MSFViT',
    arch='s',
    groups=2,
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/msf_vit_s_g2.pth'),
)
maps = dict(in_channels=[384], in_strides=[16])
