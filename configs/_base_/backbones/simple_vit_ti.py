"""Simple ViT-Ti: one map of stride 16."""

backbone = dict(
    type='vitbackbones.SimpleViT',
    arch='ti',
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/simple_vit_ti.pth'),
)
maps = dict(in_channels=[192], in_strides=[16])
