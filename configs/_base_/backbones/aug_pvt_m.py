"""Aug-PVT-M: four maps of strides 4 to 32.

The weights may be those of the plain form, too: the augmented paths then start untrained.
"""

backbone = dict(
    type='vitbackbones.AugPVT',
    arch='m',
    drop_path_rate=0.3,
    init_cfg=dict(
        type='vitbackbones.Pretrained',
        checkpoint='checkpoints/aug_pvt_m.pth',
        allow_missing=['*.shortcut_*'],
    ),
)
maps = dict(in_channels=[64, 128, 320, 512], in_strides=[4, 8, 16, 32])
