"""MSF ViT-Ti with projections in two groups: one map of stride 16."""

backbone = dict(
    type='vitbackbones.MSFViT',
    arch='ti',
    groups=2,
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/msf_vit_ti_g2.pth'),
)
maps = dict(in_channels=[192], in_strides=[16])
