"""SReT-TL with global attention fine-tuned at 384 pixels, ImageNet-1k.

Reproduces: SReT (Shen et al., ECCV 2022), paper, no weights released.
    published  80.0  (top-1, ImageNet val)
    measured   not yet
Protocol: 30 epochs, batch 512, AdamW at a constant 5e-6, decay 0; the model stays in eval mode.
    Positions are resized when the weights are loaded.
Assumed: epochs, batch, augmentation and the labels' loss are DeiT's; the paper prints the rate and
    the decay.
Parameters: 5.085 M.
Hardware: 16 GPUs x 32 images; hours not measured.
Weights: result of cls_sret_tl_global_distill_imagenet in checkpoints/sret_tl_global_distill.pth.

    bash tools/dist_train.sh configs/cls_sret_tl_global_384_imagenet.py 16 --amp
    python tools/train.py configs/cls_sret_tl_global_384_imagenet.py
"""

_base_ = [
    '_base_/models/classifier.py',
    '_base_/datasets/imagenet_384.py',
    '_base_/schedules/finetune_30e.py',
    '_base_/cls_runtime_eval_mode.py',
]

model = dict(
    init_cfg=dict(type='Pretrained', checkpoint='checkpoints/sret_tl_global_distill.pth'),
    backbone=dict(
        type='vitbackbones.SReT', arch='tl', groups=None, out_type='pooled', img_size=384
    ),
    head=dict(in_channels=256),
)
