"""The classifier with MSF's weaker mixing: MixUp or CutMix of strength 0.2, always one of them."""

_base_ = './classifier.py'

model = dict(
    train_cfg=dict(augments=[dict(type='Mixup', alpha=0.2), dict(type='CutMix', alpha=0.2)])
)
