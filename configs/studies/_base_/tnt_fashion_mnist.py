"""A TNT of 6 narrow blocks, Fashion-MNIST: what the study of position codes starts from.

49 patches of 4 x 4 pixels, each with 4 pixel tokens of 2 x 2.
"""

_base_ = './vit_fashion_mnist.py'

model = dict(
    backbone=dict(
        _delete_=True,
        type='vitbackbones.TNT',
        arch=dict(embed_dims=64, depth=6, num_heads=2, inner_dims=8, inner_heads=2),
        img_size=28,
        in_channels=1,
        patch_size=4,
        pixels=2,
        out_type='cls_token',
    ),
)
