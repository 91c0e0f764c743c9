"""MSF ViT-S: one map of stride 16."""

backbone = dict(
    type='vitbackbones.MSFViT',
    arch='s',
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/msf_vit_s.pth'),
)
maps = dict(in_channels=[384], in_strides=[16])
