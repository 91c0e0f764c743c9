"""DeiT-B fine-tuned on CIFAR-10.

Reproduces: DeiT (Touvron et al., ICML 2021), DeiT-B.
Published: 99.1 (top-1).
Hardware: 8 GPUs x 96 images.
Weights: result of cls_deit_b_imagenet in checkpoints/deit_b.pth; the head starts anew.

    bash tools/dist_train.sh configs/cifar10/cls_deit_b.py 8 --amp
    python tools/train.py configs/cifar10/cls_deit_b.py
"""

_base_ = ['../_base_/recipes/deit_1000e_cifar.py', '../_base_/datasets/cifar10_224.py']

model = dict(
    data_preprocessor=dict(num_classes=10),
    backbone=dict(
        type='vitbackbones.ViT',
        arch='b',
        out_type='cls_token',
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/deit_b.pth'),
    ),
    head=dict(num_classes=10),
)
