"""SReT-T distilled from RegNetY-16GF, ImageNet-1k.

Reproduces: SReT (Shen et al., ECCV 2022), repository's README.
Published: 77.6 (top-1, ImageNet val).
Protocol: 300 epochs, batch 1024, AdamW 1e-3; the teacher's probabilities are the only targets, at
    temperature 1. To compare with DeiT's hard distillation: model.distillation=hard.
Assumed: everything else is DeiT's, MixUp and CutMix (seen by the teacher, too) and 5 epochs of
    warm-up included; the paper says "follows DeiT".
Parameters: 4.756 M, without the teacher's 83.6 M.
Hardware: 8 GPUs x 128 images.
Teacher: timm's regnety_160 in checkpoints/regnety_160.pth, which is DeiT's published teacher
    (regnety_160-a5fe301d.pth, or timm's regnety_160.deit_in1k).

    bash tools/dist_train.sh configs/cls_sret_t_distill_imagenet.py 8 --amp
    python tools/train.py configs/cls_sret_t_distill_imagenet.py
"""

_base_ = [
    '_base_/models/classifier.py',
    '_base_/datasets/imagenet_deit.py',
    '_base_/schedules/deit_300e.py',
    '_base_/cls_runtime_ema_aside.py',
]

model = dict(
    type='vitbackbones.Distilled',
    backbone=dict(type='vitbackbones.SReT', arch='t', out_type='pooled', drop_path_rate=0.1),
    head=dict(in_channels=256, init_cfg=None),
    teacher=dict(type='TimmClassifier', model_name='regnety_160'),
    teacher_checkpoint='checkpoints/regnety_160.pth',
)
