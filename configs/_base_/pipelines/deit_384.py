"""DeiT's augmentation at 384 pixels."""

_base_ = './deit.py'

sizes = dict(
    RandomResizedCrop=dict(scale=384),
    ResizeEdge=dict(scale=438),
    CenterCrop=dict(crop_size=384),
)
train_pipeline = [dict(step, **sizes.get(step.type, {})) for step in _base_.train_pipeline]
test_pipeline = [dict(step, **sizes.get(step.type, {})) for step in _base_.test_pipeline]
