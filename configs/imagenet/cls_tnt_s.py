"""TNT-S, ImageNet-1k.

Reproduces: TNT (Han et al., NeurIPS 2021), repository's README.
Published: 81.5 (top-1, ImageNet val).
Published: 81.3, by TNT, Table 4 of its first version on arXiv.
Parameters: 23.769 M.
Hardware: 8 GPUs x 128 images, as published.

    bash tools/dist_train.sh configs/imagenet/cls_tnt_s.py 8 --amp
    python tools/train.py configs/imagenet/cls_tnt_s.py
"""

_base_ = '../_base_/recipes/tnt_310e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.TNT', arch='s', out_type='cls_token', drop_path_rate=0.1)
)
