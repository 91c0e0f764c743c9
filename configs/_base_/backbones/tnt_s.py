"""TNT-S: one map of stride 16."""

backbone = dict(
    type='vitbackbones.TNT',
    arch='s',
    drop_path_rate=0.1,
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/tnt_s.pth'),
)
maps = dict(in_channels=[384], in_strides=[16])
