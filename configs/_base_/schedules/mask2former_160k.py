"""Mask2Former's ADE20K schedule: 160k iterations on 8 GPUs x 2 images, polynomial decay to 0."""

_base_ = './mask2former_optimizer.py'

param_scheduler = [
    dict(type='PolyLR', eta_min=0.0, power=0.9, begin=0, end=160000, by_epoch=False),
]
train_cfg = dict(type='IterBasedTrainLoop', max_iters=160000, val_interval=5000)
