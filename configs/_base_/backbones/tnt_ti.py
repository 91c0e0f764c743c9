"""TNT-Ti: one map of stride 16."""

backbone = dict(
    type='vitbackbones.TNT',
    arch='ti',
    drop_path_rate=0.1,
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/tnt_ti.pth'),
)
maps = dict(in_channels=[192], in_strides=[16])
