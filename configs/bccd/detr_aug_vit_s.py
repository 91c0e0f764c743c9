"""DETR on Aug-ViT-S, BCCD: red and white blood cells and platelets, a real data set in COCO format.

Reproduces: nothing published; shows the road from a folder of one's own to a detector.
Measured: not yet; detr_aug_vit_ti_bccd is the variant that was trained, on a CPU.
Schedule: 300 epochs of 26 steps; DETR needs thousands of steps, however few the images.
Images: mean and std 127.5, as those that the ImageNet weights saw. Plain DeiT weights saw
    ImageNet's: a run from them says what to set.
Hardware: one GPU.
Weights: ImageNet checkpoint in checkpoints/aug_vit_s.pth, or --scratch.

    python tools/train.py configs/bccd/detr_aug_vit_s.py
"""

_base_ = [
    '../_base_/models/detr.py',
    '../_base_/datasets/bccd_detection.py',
    '../_base_/schedules/detr_50e.py',
    '../_base_/default_runtime.py',
]

model = dict(
    data_preprocessor=dict(mean=[127.5] * 3, std=[127.5] * 3),  # as the weights' images
    backbone=dict(
        type='vitbackbones.AugViT',
        arch='s',
        pool=2,
        drop_path_rate=0.1,
        init_cfg=dict(
            type='vitbackbones.Pretrained',
            checkpoint='checkpoints/aug_vit_s.pth',
            allow_missing=['*.shortcut_*'],
        ),
    ),
    bbox_head=dict(num_classes=3),
)

train_dataloader = dict(batch_size=8)
train_cfg = dict(max_epochs=300, val_interval=10)
param_scheduler = [
    dict(type='MultiStepLR', begin=0, end=300, by_epoch=True, milestones=[200], gamma=0.1)
]
auto_scale_lr = dict(base_batch_size=8)
default_hooks = dict(checkpoint=dict(interval=10))
