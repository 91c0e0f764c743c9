"""Aug-ViT-B fine-tuned on Oxford-IIIT Pets at 384 pixels.

Reproduces: Aug-ViT (Tang et al., NeurIPS 2021), Table 10.
Published: 95.1 (top-1).
Hardware: 16 GPUs x 48 images, two machines of 8.
Weights: result of cls_aug_vit_b_384_imagenet in checkpoints/aug_vit_b_384.pth; the head
    starts anew.

    export NNODES=2 NODE_RANK=0 MASTER_ADDR=HOST  # and NODE_RANK=1 on the other machine
    bash tools/dist_train.sh configs/pets/cls_aug_vit_b.py 8 --amp
    python tools/train.py configs/pets/cls_aug_vit_b.py
"""

_base_ = ['../_base_/recipes/aug_vit_1000e_384.py', '../_base_/datasets/pets_384_half.py']

model = dict(
    data_preprocessor=dict(num_classes=37),
    backbone=dict(
        type='vitbackbones.AugViT',
        arch='b',
        img_size=384,
        out_type='cls_token',
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/aug_vit_b_384.pth'),
    ),
    head=dict(num_classes=37),
)
train_dataloader = dict(batch_size=48)
