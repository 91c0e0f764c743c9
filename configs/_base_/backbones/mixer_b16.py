"""MLP-Mixer-B/16: one map of stride 16."""

backbone = dict(
    type='vitbackbones.Mixer',
    arch='b16',
    drop_path_rate=0.1,
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/mixer_b16.pth'),
)
maps = dict(in_channels=[768], in_strides=[16])
