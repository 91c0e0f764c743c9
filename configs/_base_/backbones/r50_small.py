"""ResNet-50 with a quarter of its channels; from random weights."""

backbone = dict(
    type='ResNet',
    depth=50,
    base_channels=16,
    num_stages=4,
    out_indices=(0, 1, 2, 3),
    style='pytorch',
)
maps = dict(in_channels=[64, 128, 256, 512], in_strides=[4, 8, 16, 32])
