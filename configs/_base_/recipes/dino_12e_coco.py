"""DINO on COCO, its own protocol of 12 epochs with four levels.

Source: DINO (Zhang et al., ICLR 2023), as mmdetection has it.
Nearest published: 49.0 (AP, COCO val2017, on ResNet-50, of mmdetection), for the backbones of which
    nothing was published.
Protocol: 12 epochs, batch 16 (8 GPUs x 2 images), AdamW 1e-4, backbone 1e-5, decay 1e-4, divided by
    10 after epoch 11; short side 480 to 800, half of the images cropped before, flips. What
    shortcuts learn is not decayed.
Assumed for all backbones: the rate, decay and levels of ResNet-50; strides that a backbone does not
    give are made in the neck.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the backbone with its weights.
"""

_base_ = [
    '../models/dino.py',
    '../datasets/coco_detection_crops.py',
    '../default_runtime.py',
]

optim_wrapper = dict(
    type='OptimWrapper',
    optimizer=dict(type='AdamW', lr=1e-4, weight_decay=1e-4),
    clip_grad=dict(max_norm=0.1, norm_type=2),
    paramwise_cfg=dict(
        custom_keys={  # parts of names; the longest that fits a parameter decides alone
            'backbone': dict(lr_mult=0.1),
            '.shortcut': dict(lr_mult=0.1, decay_mult=0.0),  # inside of the backbone
        }
    ),
)
param_scheduler = [
    dict(type='MultiStepLR', begin=0, end=12, by_epoch=True, milestones=[11], gamma=0.1)
]
train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=12, val_interval=1)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
auto_scale_lr = dict(enable=False, base_batch_size=16)
