"""SReT-T with global attention: three maps of strides 8 to 32.

The stem is frozen, as two images a GPU are too few for its batch norms.
"""

backbone = dict(
    type='vitbackbones.SReT',
    arch='t',
    groups=None,
    frozen_stages=0,
    drop_path_rate=0.1,
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/sret_t_global.pth'),
)
maps = dict(in_channels=[64, 128, 256], in_strides=[8, 16, 32])
