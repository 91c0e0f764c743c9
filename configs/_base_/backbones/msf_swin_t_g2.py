"""MSF Swin-T with projections in two groups: four maps of strides 4 to 32."""

backbone = dict(
    type='vitbackbones.MSFSwin',
    arch='t',
    groups=2,
    drop_path_rate=0.2,
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/msf_swin_t_g2.pth'),
)
maps = dict(in_channels=[96, 192, 384, 768], in_strides=[4, 8, 16, 32])
