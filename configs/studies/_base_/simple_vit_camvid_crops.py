"""The plain ViT of the mean-shift paper, CamVid crops: what the study of attention starts from.

Fixed positions, no class token, the mean of all tokens to classify.
"""

_base_ = './vit_camvid_crops.py'

model = dict(
    backbone=dict(
        _delete_=True,
        type='vitbackbones.SimpleViT',
        arch=dict(embed_dims=64, depth=12, num_heads=2),
        img_size=32,
        patch_size=8,
        out_type='pooled',
    ),
    head=dict(init_cfg=None),
)
