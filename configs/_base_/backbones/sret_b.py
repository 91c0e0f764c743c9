"""SReT-B: three maps of strides 8 to 32.

The stem is frozen, as two images a GPU are too few for its batch norms.
"""

backbone = dict(
    type='vitbackbones.SReT',
    arch='b',
    frozen_stages=0,
    drop_path_rate=0.2,
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/sret_b.pth'),
)
maps = dict(in_channels=[336, 672, 672], in_strides=[8, 16, 32])
