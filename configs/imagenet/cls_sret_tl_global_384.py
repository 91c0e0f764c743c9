"""SReT-TL with global attention fine-tuned at 384 pixels, ImageNet-1k.

Reproduces: SReT (Shen et al., ECCV 2022), Table 5 (no weights released).
Published: 80.0 (top-1, ImageNet val).
Parameters: 5.085 M.
Hardware: 16 GPUs x 32 images, two machines of 8.
Weights: result of cls_sret_tl_global_distill_imagenet in checkpoints/sret_tl_global_distill.pth.

    export NNODES=2 NODE_RANK=0 MASTER_ADDR=HOST  # and NODE_RANK=1 on the other machine
    bash tools/dist_train.sh configs/imagenet/cls_sret_tl_global_384.py 8 --amp
    python tools/train.py configs/imagenet/cls_sret_tl_global_384.py
"""

_base_ = '../_base_/recipes/sret_30e_imagenet_384.py'

model = dict(
    init_cfg=dict(
        type='vitbackbones.Pretrained', checkpoint='checkpoints/sret_tl_global_distill.pth'
    ),
    backbone=dict(
        type='vitbackbones.SReT', arch='tl', groups=None, out_type='pooled', img_size=384
    ),
)
