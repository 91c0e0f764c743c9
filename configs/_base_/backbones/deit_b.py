"""DeiT-B: one map of stride 16."""

backbone = dict(
    type='vitbackbones.ViT',
    arch='b',
    drop_path_rate=0.1,
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/deit_b.pth'),
)
maps = dict(in_channels=[768], in_strides=[16])
