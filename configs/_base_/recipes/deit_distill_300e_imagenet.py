"""DeiT's distillation from RegNetY-16GF on ImageNet-1k, with a distillation token.

Source: DeiT (Touvron et al., ICML 2021), paper and the command in the repository's README.
Protocol: 300 epochs, batch 1024 (8 GPUs x 128 images), DeiT's recipe; half the loss is that of the
    labels on the class token, half that of the teacher's decision on the distillation token. The
    teacher sees the student's pictures, augmented and mixed. The mean of both logits is evaluated.
Teacher: timm's regnety_160 in checkpoints/regnety_160.pth, which is the published one
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
    backbone=dict(with_dist_token=True, out_type='cls_dist_tokens'),
    head=dict(type='vitbackbones.DistillationHead'),
    teacher=dict(type='TimmClassifier', model_name='regnety_160'),
    teacher_checkpoint='checkpoints/regnety_160.pth',
    distillation='hard',
)
