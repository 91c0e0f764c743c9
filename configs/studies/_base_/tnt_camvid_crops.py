"""A TNT of 6 narrow blocks, CamVid crops: what the study of position codes starts from.

16 patches of 8 x 8 pixels, each with 4 pixel tokens of 4 x 4.
"""

_base_ = './vit_camvid_crops.py'

model = dict(
    backbone=dict(
        _delete_=True,
        type='vitbackbones.TNT',
        arch=dict(embed_dims=64, depth=6, num_heads=2, inner_dims=8, inner_heads=2),
        img_size=32,
        patch_size=8,
        out_type='cls_token',
    ),
)
