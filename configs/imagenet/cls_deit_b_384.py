"""DeiT-B fine-tuned at 384 pixels, ImageNet-1k.

Reproduces: DeiT (Touvron et al., ICML 2021), repository's README.
Published: 82.9 (top-1, ImageNet val).
Published: 83.1, by Aug-ViT, Table 2, of the same model.
Parameters: 86.859 M.
Hardware: 16 GPUs x 32 images, two machines of 8.
Weights: result of cls_deit_b_imagenet in checkpoints/deit_b.pth.

    export NNODES=2 NODE_RANK=0 MASTER_ADDR=HOST  # and NODE_RANK=1 on the other machine
    bash tools/dist_train.sh configs/imagenet/cls_deit_b_384.py 8 --amp
    python tools/train.py configs/imagenet/cls_deit_b_384.py
"""

_base_ = '../_base_/recipes/deit_30e_imagenet_384.py'

model = dict(
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/deit_b.pth'),
    backbone=dict(type='vitbackbones.ViT', arch='b', out_type='cls_token', img_size=384),
)
