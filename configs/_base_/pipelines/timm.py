"""timm's loader at 224 pixels: DeiT's augmentation with a random interpolation, crops of 0.9.

Nothing is erased in a pipeline: timm does that after MixUp and CutMix (models/classifier_erase.py).
RandAugment's own interpolation, drawn from the two as well in the published code, is bicubic here.
"""

_base_ = './deit.py'

crop = dict(
    type='RandomChoice',  # another interpolation for each image
    transforms=[
        [dict(type='RandomResizedCrop', scale=224, backend='pillow', interpolation='bilinear')],
        [dict(type='RandomResizedCrop', scale=224, backend='pillow', interpolation='bicubic')],
    ],
)
train_pipeline = [
    crop if step.type == 'RandomResizedCrop' else step
    for step in _base_.train_pipeline
    if step.type != 'RandomErasing'
]
test_pipeline = [
    dict(step, scale=248) if step.type == 'ResizeEdge' else step for step in _base_.test_pipeline
]
