"""PVT-L: four maps of strides 4 to 32."""

backbone = dict(
    type='vitbackbones.PVT',
    arch='l',
    drop_path_rate=0.3,
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/pvt_l.pth'),
)
maps = dict(in_channels=[64, 128, 320, 512], in_strides=[4, 8, 16, 32])
