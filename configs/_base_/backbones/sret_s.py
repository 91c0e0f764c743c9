"""SReT-S: three maps of strides 8 to 32.

The stem is frozen, as two images a GPU are too few for its batch norms.
"""

backbone = dict(
    type='vitbackbones.SReT',
    arch='s',
    frozen_stages=0,
    drop_path_rate=0.2,
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/sret_s.pth'),
)
maps = dict(in_channels=[126, 252, 504], in_strides=[8, 16, 32])
