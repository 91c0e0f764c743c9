"""MSF ViT-B: one map of stride 16."""

backbone = dict(
    type='vitbackbones.MSFViT',
    arch='b',
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/msf_vit_b.pth'),
)
maps = dict(in_channels=[768], in_strides=[16])
