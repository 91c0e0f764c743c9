"""Deformable DETR on PVT-Small, COCO, its own protocol of 50 epochs.

Reproduces: nothing; no result of Deformable DETR on this backbone was published.
Source: Deformable DETR (Zhu et al., ICLR 2021), as mmdetection has it.
Nearest published: 44.3 (AP, COCO val2017, on ResNet-50, of mmdetection).
Protocol: 50 epochs, batch 32 (16 GPUs x 2 images), AdamW 2e-4, backbone and sampling places 2e-5,
    decay 1e-4 but of what shortcuts learn, divided by 10 after epoch 40; short side 480 to 800,
    half of the images cropped before, flips.
Parameters: 36.371 M.
Hardware: 16 GPUs x 2 images.
Weights: ImageNet checkpoint in checkpoints/pvt_s.pth.

    python tools/train.py configs/coco/deformable_detr_pvt_s.py
    bash tools/dist_train.sh configs/coco/deformable_detr_pvt_s.py 16
"""

_base_ = [
    '../_base_/models/deformable_detr.py',
    '../_base_/datasets/coco_detection_crops.py',
    '../_base_/default_runtime.py',
]

model = dict(
    backbone=dict(
        type='vitbackbones.PVT',
        arch='s',
        drop_path_rate=0.1,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/pvt_s.pth'),
    )
)

optim_wrapper = dict(
    type='OptimWrapper',
    optimizer=dict(type='AdamW', lr=2e-4, weight_decay=1e-4),
    clip_grad=dict(max_norm=0.1, norm_type=2),
    paramwise_cfg=dict(
        custom_keys={  # parts of names; the longest that fits a parameter decides alone
            'backbone': dict(lr_mult=0.1),
            'sampling_offsets': dict(lr_mult=0.1),
            'reference_points': dict(lr_mult=0.1),
            '.shortcut': dict(lr_mult=0.1, decay_mult=0.0),  # inside of the backbone
        }
    ),
)
param_scheduler = [
    dict(type='MultiStepLR', begin=0, end=50, by_epoch=True, milestones=[40], gamma=0.1)
]
train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=50, val_interval=1)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
auto_scale_lr = dict(enable=False, base_batch_size=32)
