"""MSF ViT-SS, 300 epochs, ImageNet-1k.

Reproduces: MSF (Kobayashi, CVPR 2024), Table 6, MSF.
Published: 78.20 (top-1, ImageNet val).
Parameters: 12.206 M.
Hardware: 4 GPUs x 256 images.

    bash tools/dist_train.sh configs/imagenet/cls_msf_vit_ss_300e.py 4 --amp
    python tools/train.py configs/imagenet/cls_msf_vit_ss_300e.py
"""

_base_ = '../_base_/recipes/msf_300e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.MSFViT', arch='ss', out_type='pooled'),
    head=dict(init_cfg=None),
)
