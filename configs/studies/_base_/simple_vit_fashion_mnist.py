"""The plain ViT of the mean-shift paper, Fashion-MNIST: what the study of sharing starts from.

Fixed positions, no class token, the mean of all tokens to classify.
"""

_base_ = './vit_fashion_mnist.py'

model = dict(
    backbone=dict(
        _delete_=True,
        type='vitbackbones.SimpleViT',
        arch=dict(embed_dims=64, depth=6, num_heads=2),
        img_size=28,
        in_channels=1,
        patch_size=7,
        out_type='pooled',
    ),
    head=dict(init_cfg=None),
)
