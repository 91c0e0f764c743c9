"""MSF ViT-SS: one map of stride 16."""

backbone = dict(
    type='vitbackbones.MSFViT',
    arch='ss',
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/msf_vit_ss.pth'),
)
maps = dict(in_channels=[384], in_strides=[16])
