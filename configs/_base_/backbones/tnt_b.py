"""TNT-B: one map of stride 16."""

backbone = dict(
    type='vitbackbones.TNT',
    arch='b',
    drop_path_rate=0.1,
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/tnt_b.pth'),
)
maps = dict(in_channels=[640], in_strides=[16])
