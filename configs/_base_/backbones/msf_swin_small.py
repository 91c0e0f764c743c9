"""MSF Swin in a small form of our own, for pictures of 128 pixels; from random weights."""

backbone = dict(
    type='vitbackbones.MSFSwin',
    arch=dict(embed_dims=32, depths=(2, 2, 2, 2), num_heads=(1, 2, 4, 8)),
    img_size=128,
    window=4,
)
maps = dict(in_channels=[32, 64, 128, 256], in_strides=[4, 8, 16, 32])
