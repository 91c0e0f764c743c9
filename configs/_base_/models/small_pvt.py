"""A PVT of five narrow blocks for pictures of 128 pixels, which the small heads on Shapes share.

A run config names this file beside the head's:

    model = dict(backbone=_base_.small_pvt)
"""

small_pvt = dict(
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
