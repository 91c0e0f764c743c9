"""MSF ViT-Ti: one map of stride 16."""

backbone = dict(
    type='vitbackbones.MSFViT',
    arch='ti',
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/msf_vit_ti.pth'),
)
maps = dict(in_channels=[192], in_strides=[16])
