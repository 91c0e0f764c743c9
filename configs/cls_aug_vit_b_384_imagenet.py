"""Aug-ViT-B fine-tuned at 384 pixels, ImageNet-1k.

Reproduces: Aug-ViT (Tang et al., NeurIPS 2021), Table 2.
Published: 84.2 (top-1, ImageNet val).
Protocol: 30 epochs, batch 512, AdamW 5e-6 after 5 epochs from 1e-6, constant then, decay 1e-8; the
    model stays in eval mode. Positions are resized when the weights are loaded.
Assumed: DeiT's recipe of this step; the paper says "as DeiT".
Parameters: 87.044 M.
Hardware: 16 GPUs x 32 images, two machines of 8.
Weights: result of cls_aug_vit_b_imagenet in checkpoints/aug_vit_b.pth.

    export NNODES=2 NODE_RANK=0 MASTER_ADDR=HOST  # and NODE_RANK=1 on the other machine
    bash tools/dist_train.sh configs/cls_aug_vit_b_384_imagenet.py 8 --amp
    python tools/train.py configs/cls_aug_vit_b_384_imagenet.py
"""

_base_ = [
    '_base_/models/classifier_half.py',
    '_base_/datasets/imagenet_384_half.py',
    '_base_/schedules/finetune_30e.py',
    '_base_/cls_runtime_eval_mode.py',
]

model = dict(
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/aug_vit_b.pth'),
    backbone=dict(type='vitbackbones.AugViT', arch='b', out_type='cls_token', img_size=384),
    head=dict(in_channels=768),
)
optim_wrapper = dict(optimizer=dict(weight_decay=1e-8))
