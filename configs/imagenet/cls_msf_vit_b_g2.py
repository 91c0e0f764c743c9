"""MSF ViT-B with projections in two groups, ImageNet-1k.

Reproduces: MSF (Kobayashi, CVPR 2024), Table 6, MSF of 2 groups.
Published: 81.70 (top-1, ImageNet val).
Parameters: 79.304 M.
Hardware: 4 GPUs x 256 images.

    bash tools/dist_train.sh configs/imagenet/cls_msf_vit_b_g2.py 4 --amp
    python tools/train.py configs/imagenet/cls_msf_vit_b_g2.py
"""

_base_ = '../_base_/recipes/msf_100e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.MSFViT', arch='b', groups=2, out_type='pooled'),
    head=dict(init_cfg=None),
)
