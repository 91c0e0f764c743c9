"""DeiT-B fine-tuned on Flowers-102 at 384 pixels.

Reproduces: DeiT (Touvron et al., ICML 2021) as Aug-ViT, Table 10, quotes it.
Published: 98.4 (top-1).
Data: data/flowers102 (jpg/, imagelabels.mat, setid.mat); trained on train + val, 2040 images.
Assumed: the recipe of CIFAR-10 at 224 pixels, the only one that its author names.
Hardware: 16 GPUs x 48 images, two machines of 8.
Weights: result of cls_deit_b_384_imagenet in checkpoints/deit_b_384.pth; the head starts anew.

    export NNODES=2 NODE_RANK=0 MASTER_ADDR=HOST  # and NODE_RANK=1 on the other machine
    bash tools/dist_train.sh configs/flowers102/cls_deit_b_384.py 8 --amp
    python tools/train.py configs/flowers102/cls_deit_b_384.py
"""

_base_ = [
    '../_base_/recipes/deit_1000e_cifar.py',
    '../_base_/datasets/classification_loaders.py',
    '../_base_/pipelines/deit_384.py',
]

model = dict(
    data_preprocessor=dict(num_classes=102),
    backbone=dict(
        type='vitbackbones.ViT',
        arch='b',
        img_size=384,
        out_type='cls_token',
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/deit_b_384.pth'),
    ),
    head=dict(num_classes=102),
)

data_root = 'data/flowers102/'

train_dataloader = dict(
    batch_size=48,
    dataset=dict(
        type='Flowers102',
        data_root=data_root,
        split='trainval',
        pipeline=_base_.train_pipeline,
    ),
)
val_dataloader = dict(
    batch_size=64,
    dataset=dict(
        type='Flowers102', data_root=data_root, split='test', pipeline=_base_.test_pipeline
    ),
)
test_dataloader = val_dataloader
