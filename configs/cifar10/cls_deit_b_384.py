"""DeiT-B fine-tuned on CIFAR-10 at 384 pixels.

Reproduces: DeiT (Touvron et al., ICML 2021) as Aug-ViT, Table 10, quotes it.
Published: 99.1 (top-1).
Assumed: the recipe of CIFAR-10 at 224 pixels; that for 384 was not published.
Hardware: 16 GPUs x 48 images, two machines of 8.
Weights: result of cls_deit_b_384_imagenet in checkpoints/deit_b_384.pth; the head starts anew.

    export NNODES=2 NODE_RANK=0 MASTER_ADDR=HOST  # and NODE_RANK=1 on the other machine
    bash tools/dist_train.sh configs/cifar10/cls_deit_b_384.py 8 --amp
    python tools/train.py configs/cifar10/cls_deit_b_384.py
"""

_base_ = ['../_base_/recipes/deit_1000e_cifar.py', '../_base_/datasets/cifar10_384.py']

model = dict(
    data_preprocessor=dict(num_classes=10),
    backbone=dict(
        type='vitbackbones.ViT',
        arch='b',
        img_size=384,
        out_type='cls_token',
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/deit_b_384.pth'),
    ),
    head=dict(num_classes=10),
)
