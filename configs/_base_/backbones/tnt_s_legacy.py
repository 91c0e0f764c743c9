"""TNT-S in timm's first layout, tnt_s_patch16_224: one map of stride 16."""

backbone = dict(
    type='vitbackbones.TNT',
    arch='s',
    stem='conv',
    projection='pixel',
    drop_path_rate=0.1,
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/tnt_s_legacy.pth'),
)
maps = dict(in_channels=[384], in_strides=[16])
