"""DeiT-Ti of 108 blocks, ImageNet-1k.

Reproduces: SReT (Shen et al., ECCV 2022), Figure 9.
Published: no accuracy; the figure shows the loss around the weights.
Assumed: DeiT's recipe; the width follows from the printed parameters.
Parameters: 48.424 M.
Hardware: 8 GPUs x 128 images.

    bash tools/dist_train.sh configs/imagenet/cls_deit_108.py 8 --amp
    python tools/train.py configs/imagenet/cls_deit_108.py
"""

_base_ = '../_base_/recipes/deit_300e_imagenet.py'

model = dict(
    backbone=dict(
        type='vitbackbones.ViT',
        arch=dict(base='ti', depth=108),
        out_type='cls_token',
        drop_path_rate=0.1,
    )
)
