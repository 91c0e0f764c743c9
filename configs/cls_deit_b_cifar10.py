"""DeiT-B fine-tuned on CIFAR-10.

Reproduces: DeiT (Touvron et al., ICML 2021), DeiT-B.
Published: 99.1 (top-1).
Protocol: 1000 epochs, batch 768, SGD 0.01, decay 1e-4; nothing erased, no stochastic depth; "all
    other elements are the same as for training on ImageNet".
Assumed: 0.01 is the rate after DeiT's scaling with the batch; Nesterov's momentum of 0.9, which SGD
    is by default in DeiT's script.
Hardware: 8 GPUs x 96 images.
Weights: result of cls_deit_b_imagenet in checkpoints/deit_b.pth; the head starts anew.

    bash tools/dist_train.sh configs/cls_deit_b_cifar10.py 8 --amp
    python tools/train.py configs/cls_deit_b_cifar10.py
"""

_base_ = [
    '_base_/models/classifier.py',
    '_base_/datasets/cifar10_224.py',
    '_base_/schedules/sgd_1000e.py',
    '_base_/cls_runtime.py',
]

model = dict(
    data_preprocessor=dict(num_classes=10),
    backbone=dict(
        type='vitbackbones.ViT',
        arch='b',
        out_type='cls_token',
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/deit_b.pth'),
    ),
    head=dict(num_classes=10, in_channels=768),
)
default_hooks = dict(checkpoint=dict(interval=10))  # epochs, which are short
