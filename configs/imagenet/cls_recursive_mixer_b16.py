"""Recursive MLP-Mixer-B/16, ImageNet-1k.

Reproduces: SReT (Shen et al., ECCV 2022), Figure 6.
Published: only as a curve.
Assumed: DeiT's recipe, and torch's initialization but for the head; the paper names neither.
Parameters: 59.881 M.
Hardware: 8 GPUs x 128 images.

    bash tools/dist_train.sh configs/imagenet/cls_recursive_mixer_b16.py 8 --amp
    python tools/train.py configs/imagenet/cls_recursive_mixer_b16.py
"""

_base_ = '../_base_/recipes/deit_300e_imagenet.py'

model = dict(
    backbone=dict(
        type='vitbackbones.RecursiveMixer', arch='b16', out_type='pooled', drop_path_rate=0.1
    )
)
