"""ADE20K as PVT tests on it: sides are stretched to the next multiple of 32."""

_base_ = './ade20k.py'

test_steps = dict(
    _delete_=True,
    load=_base_.test_steps.load,
    resize=_base_.test_steps.resize,
    align=dict(type='ResizeToMultiple', size_divisor=32),
    load_mask=_base_.test_steps.load_mask,  # behind the others: never resized
    pack=_base_.test_steps.pack,
)
test_pipeline = [step for name, step in test_steps.items() if name != '_delete_']

val_dataloader = dict(dataset=dict(pipeline=test_pipeline))
test_dataloader = val_dataloader
