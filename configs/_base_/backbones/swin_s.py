"""Swin-S: four maps of strides 4 to 32."""

backbone = dict(
    type='vitbackbones.Swin',
    arch='s',
    drop_path_rate=0.3,
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/swin_s.pth'),
)
maps = dict(in_channels=[96, 192, 384, 768], in_strides=[4, 8, 16, 32])
