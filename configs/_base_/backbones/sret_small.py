"""SReT in a small form of our own, for pictures of 128 pixels; from random weights."""

backbone = dict(
    type='vitbackbones.SReT',
    arch=dict(
        stem_dims=(32, 64, 64),
        embed_dims=(64, 128, 256),
        num_heads=(2, 4, 8),
        depths=(1, 2, 1),
        passes=2,
        mlp_ratio=3.0,
        nll_ratio=1.0,
    ),
    img_size=128,
)
maps = dict(in_channels=[64, 128, 256], in_strides=[8, 16, 32])
