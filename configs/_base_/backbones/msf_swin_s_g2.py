"""MSF Swin-S with projections in two groups: four maps of strides 4 to 32."""

backbone = dict(
    type='vitbackbones.MSFSwin',
    arch='s',
    groups=2,
    drop_path_rate=0.3,
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/msf_swin_s_g2.pth'),
)
maps = dict(in_channels=[96, 192, 384, 768], in_strides=[4, 8, 16, 32])
