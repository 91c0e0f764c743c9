"""EoMT for semantic segmentation on ADE20K.

Source: EoMT (Kerssies et al., CVPR 2025), configs of the repository.
Protocol: 39 200 iterations (31 epochs) at batch 16, AdamW 1e-4, less by 0.8 for each block, decay
    0.05, polynomial decay to 0, gradients of norm 0.01; short sides of 256 to 1024, crops of
    512 x 512; tested in windows of 512 that cover the image. --tta: six scales and flips.
Assumed: one linear warm-up of 1000 iterations for all; the published head starts after 500, and
    the backbone between 500 and 1500. The last block learns at 0.8 times the rate, as the final
    norm counts as a layer here. Positions and class token are not decayed. The published test
    spreads more than two windows evenly; here the last one begins before the end.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds a plain backbone, and how many of its blocks the queries join.
"""

_base_ = [
    '../models/eomt.py',
    '../datasets/ade20k.py',
    '../schedules/eomt_optimizer.py',
    '../segmentation_runtime.py',
]

model = dict(
    data_preprocessor=dict(test_cfg=None),  # nothing is padded in testing
    test_cfg=dict(mode='slide', crop_size=(512, 512), stride=(512, 512)),
)
param_scheduler = [
    dict(type='LinearLR', start_factor=0.001, begin=0, end=1000, by_epoch=False),
    dict(type='PolyLR', eta_min=0.0, power=0.9, begin=1000, end=39200, by_epoch=False),
]
train_cfg = dict(type='IterBasedTrainLoop', max_iters=39200, val_interval=4900)
default_hooks = dict(checkpoint=dict(interval=4900))
