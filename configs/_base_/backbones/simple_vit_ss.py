"""Simple ViT-SS: one map of stride 16."""

backbone = dict(
    type='vitbackbones.SimpleViT',
    arch='ss',
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/simple_vit_ss.pth'),
)
maps = dict(in_channels=[384], in_strides=[16])
