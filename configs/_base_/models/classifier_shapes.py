"""The classifier for the three classes of Shapes, without mixing: there is little to overfit."""

_base_ = './classifier.py'

model = dict(
    data_preprocessor=dict(num_classes=3),
    head=dict(num_classes=3, topk=(1,)),
    train_cfg=None,
)
