"""TNT-S with squeeze-and-excitation, ImageNet-1k.

Reproduces: TNT (Han et al., NeurIPS 2021), Table 4 of its first version on arXiv.
Published: 81.6 (top-1, ImageNet val); TNT-S without it has 81.3 there.
Parameters: 24.668 M.
Hardware: 8 GPUs x 128 images.

    bash tools/dist_train.sh configs/imagenet/cls_tnt_s_se.py 8 --amp
    python tools/train.py configs/imagenet/cls_tnt_s_se.py
"""

_base_ = '../_base_/recipes/tnt_310e_imagenet.py'

model = dict(
    backbone=dict(
        type='vitbackbones.TNT', arch='s', se=True, out_type='cls_token', drop_path_rate=0.1
    )
)
