"""TNT's and Aug-ViT's augmentation at 384 pixels."""

_base_ = './half.py'

sizes = dict(
    RandomChoice=dict(
        transforms=[
            [dict(type='RandomResizedCrop', scale=384, backend='pillow', interpolation=name)]
            for name in ('bilinear', 'bicubic')
        ]
    ),
    ResizeEdge=dict(scale=426),
    CenterCrop=dict(crop_size=384),
)
train_pipeline = [dict(step, **sizes.get(step.type, {})) for step in _base_.train_pipeline]
test_pipeline = [dict(step, **sizes.get(step.type, {})) for step in _base_.test_pipeline]
