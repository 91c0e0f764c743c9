"""UPerNet on ADE20K.

Source: Swin (Liu et al., ICCV 2021), upernet_swin_tiny_patch4_window7_512x512_160k_ade20k of the
    repository for segmentation.
Protocol: 160k iterations at batch 16 (8 GPUs x 2 images), AdamW 6e-5, warm-up of 1500, linear decay
    to 0, which counts from iteration 0, under the warm-up, as mmcv's schedules of that time do;
    norms and position codes are not decayed; crops of 512 x 512, tested in one piece at a short
    side of 512. --tta: six scales and flips.
Nearest published: 44.51 / 45.81 (mIoU, one scale / several with flips, Swin-T, README of the
    repository), for the backbones of which nothing was published.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds a backbone.
"""

_base_ = [
    '../models/upernet.py',
    '../datasets/ade20k.py',
    '../segmentation_runtime.py',
]

undecayed = ('norm', 'pos_embed', 'relative_position_bias_table', '.shortcut')

optim_wrapper = dict(
    type='OptimWrapper',
    optimizer=dict(type='AdamW', lr=6e-5, betas=(0.9, 0.999), weight_decay=0.01),
    paramwise_cfg=dict(custom_keys=dict.fromkeys(undecayed, dict(decay_mult=0.0))),
)
param_scheduler = [
    dict(type='LinearLR', start_factor=1e-6, begin=0, end=1500, by_epoch=False),
    dict(type='PolyLR', eta_min=0.0, power=1.0, begin=0, end=160000, by_epoch=False),
]
train_cfg = dict(type='IterBasedTrainLoop', max_iters=160000, val_interval=16000)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
auto_scale_lr = dict(enable=False, base_batch_size=16)
