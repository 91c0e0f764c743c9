"""DeiT-B fine-tuned on CIFAR-100.

Reproduces: DeiT (Touvron et al., ICML 2021), DeiT-B.
Published: 90.8 (top-1).
Assumed: the recipe of CIFAR-10; the author names CIFAR-10 and Cars. (For CIFAR-100 he later gave
    AdamW 5e-6 and decay 0.05 of a ViT-B: dino, issue 144.)
Hardware: 8 GPUs x 96 images.
Weights: result of cls_deit_b_imagenet in checkpoints/deit_b.pth; the head starts anew.

    bash tools/dist_train.sh configs/cifar100/cls_deit_b.py 8 --amp
    python tools/train.py configs/cifar100/cls_deit_b.py
"""

_base_ = ['../_base_/recipes/deit_1000e_cifar.py', '../_base_/datasets/cifar10_224.py']

model = dict(
    data_preprocessor=dict(num_classes=100),
    backbone=dict(
        type='vitbackbones.ViT',
        arch='b',
        out_type='cls_token',
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/deit_b.pth'),
    ),
    head=dict(num_classes=100),
)

data_root = 'data/cifar100/'
train_dataloader = dict(dataset=dict(type='vitbackbones.CIFAR100', data_root=data_root))
val_dataloader = dict(dataset=dict(type='vitbackbones.CIFAR100', data_root=data_root))
test_dataloader = val_dataloader
