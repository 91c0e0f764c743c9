"""Aug-ViT-B fine-tuned at 384 pixels, ImageNet-1k.

Reproduces: Aug-ViT (Tang et al., NeurIPS 2021), Table 2.
Published: 84.2 (top-1, ImageNet val).
Published: 84.1, by Aug-ViT, Table 10.
Parameters: 87.044 M.
Hardware: 16 GPUs x 32 images, two machines of 8.
Weights: result of cls_aug_vit_b_imagenet in checkpoints/aug_vit_b.pth.

    export NNODES=2 NODE_RANK=0 MASTER_ADDR=HOST  # and NODE_RANK=1 on the other machine
    bash tools/dist_train.sh configs/imagenet/cls_aug_vit_b_384.py 8 --amp
    python tools/train.py configs/imagenet/cls_aug_vit_b_384.py
"""

_base_ = '../_base_/recipes/aug_vit_30e_imagenet_384.py'

model = dict(
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/aug_vit_b.pth'),
    backbone=dict(type='vitbackbones.AugViT', arch='b', out_type='cls_token', img_size=384),
)
