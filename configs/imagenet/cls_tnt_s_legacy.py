"""TNT-S in the older layout that timm first had, ImageNet-1k.

Reproduces: TNT (Han et al., NeurIPS 2021), weights converted by timm.
Published: 81.5 (top-1, ImageNet val).
Parameters: 23.755 M.
Hardware: 8 GPUs x 128 images.

    bash tools/dist_train.sh configs/imagenet/cls_tnt_s_legacy.py 8 --amp
    python tools/train.py configs/imagenet/cls_tnt_s_legacy.py
"""

_base_ = '../_base_/recipes/tnt_310e_imagenet.py'

model = dict(
    backbone=dict(
        type='vitbackbones.TNT',
        arch='s',
        stem='conv',
        projection='pixel',
        out_type='cls_token',
        drop_path_rate=0.1,
    )
)
