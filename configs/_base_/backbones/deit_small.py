"""Plain ViT in a small form of our own, for pictures of 128 pixels; from random weights."""

backbone = dict(
    type='vitbackbones.ViT', arch=dict(embed_dims=128, depth=4, num_heads=4), img_size=128
)
maps = dict(in_channels=[128], in_strides=[16])
