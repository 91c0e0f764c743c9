"""The same for the three classes of Shapes: nothing is mixed, as there is little to overfit."""

_base_ = './classifier.py'

model = dict(
    data_preprocessor=dict(num_classes=3),
    head=dict(num_classes=3, topk=(1,)),
    train_cfg=None,
)
