"""PVT in a small form of our own, for pictures of 128 pixels; from random weights."""

backbone = dict(
    type='vitbackbones.PVT',
    arch=dict(
        depths=(1, 1, 2, 1),
        embed_dims=(32, 64, 96, 128),
        num_heads=(1, 2, 3, 4),
        mlp_ratios=(4, 4, 4, 4),
        sr_ratios=(8, 4, 2, 1),
    ),
    img_size=128,
)
maps = dict(in_channels=[32, 64, 96, 128], in_strides=[4, 8, 16, 32])
