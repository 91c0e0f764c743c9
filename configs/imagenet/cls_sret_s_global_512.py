"""SReT-S with global attention fine-tuned at 512 pixels, ImageNet-1k.

Reproduces: SReT (Shen et al., ECCV 2022), repository's README.
Published: 84.3 (top-1, ImageNet val).
Assumed: the recipe of 384 pixels; the paper prints the result alone.
Parameters: 21.317 M.
Hardware: 16 GPUs x 32 images, two machines of 8.
Weights: result of cls_sret_s_global_distill_imagenet in checkpoints/sret_s_global_distill.pth.

    export NNODES=2 NODE_RANK=0 MASTER_ADDR=HOST  # and NODE_RANK=1 on the other machine
    bash tools/dist_train.sh configs/imagenet/cls_sret_s_global_512.py 8 --amp
    python tools/train.py configs/imagenet/cls_sret_s_global_512.py
"""

_base_ = '../_base_/recipes/sret_30e_imagenet_384.py'

model = dict(
    init_cfg=dict(
        type='vitbackbones.Pretrained', checkpoint='checkpoints/sret_s_global_distill.pth'
    ),
    backbone=dict(type='vitbackbones.SReT', arch='s', groups=None, out_type='pooled', img_size=512),
)

train_steps = _base_.train_steps
train_steps.crop.scale = 512
train_pipeline = list(train_steps.values())
test_steps = _base_.test_steps
test_steps.resize.scale = 585
test_steps.crop.crop_size = 512
test_pipeline = list(test_steps.values())

train_dataloader = dict(dataset=dict(pipeline=train_pipeline))
val_dataloader = dict(dataset=dict(pipeline=test_pipeline))
test_dataloader = val_dataloader
