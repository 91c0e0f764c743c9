"""SReT's distillation from RegNetY-16GF on ImageNet-1k.

Source: SReT (Shen et al., ECCV 2022), Table 9.
Protocol: 300 epochs, batch 1024 (8 GPUs x 128 images), AdamW 1e-3; the teacher's probabilities are
    the only targets, at temperature 1. To compare with DeiT's hard distillation:
    model.distillation=hard.
Assumed: everything else is DeiT's, MixUp and CutMix (seen by the teacher, too) and 5 epochs of
    warm-up included; the paper says "follows DeiT".
Teacher: timm's regnety_160 in checkpoints/regnety_160.pth, which is DeiT's published teacher
    (regnety_160-a5fe301d.pth, or timm's regnety_160.deit_in1k).
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the backbone with its stochastic depth.
"""

_base_ = [
    '../models/classifier_erase_first.py',
    '../datasets/imagenet_deit.py',
    '../schedules/deit_300e.py',
    '../cls_runtime_ema_aside.py',
]

model = dict(
    type='vitbackbones.Distilled',
    head=dict(init_cfg=None),
    teacher=dict(type='TimmClassifier', model_name='regnety_160'),
    teacher_checkpoint='checkpoints/regnety_160.pth',
)
