"""TNT-Ti, ImageNet-1k.

Reproduces: TNT (Han et al., NeurIPS 2021).
Published: not known to us; the model is in the last version of the paper alone.
Parameters: 6.076 M.
Hardware: 8 GPUs x 128 images.

    bash tools/dist_train.sh configs/imagenet/cls_tnt_ti.py 8 --amp
    python tools/train.py configs/imagenet/cls_tnt_ti.py
"""

_base_ = '../_base_/recipes/tnt_310e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.TNT', arch='ti', out_type='cls_token', drop_path_rate=0.1)
)
