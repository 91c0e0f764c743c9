"""Simple ViT-S: one map of stride 16."""

backbone = dict(
    type='vitbackbones.SimpleViT',
    arch='s',
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/simple_vit_s.pth'),
)
maps = dict(in_channels=[384], in_strides=[16])
