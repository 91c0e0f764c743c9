"""1000 steps (8 passes) for Mask2Former on Shapes, minutes on two CPU cores."""

_base_ = './setr_shapes.py'

optim_wrapper = dict(optimizer=dict(lr=5e-4), clip_grad=dict(max_norm=1.0, norm_type=2))
