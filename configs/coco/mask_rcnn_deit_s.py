"""Mask R-CNN on DeiT-S in windows, COCO at 1024 pixels, 100 epochs.

Reproduces: nothing; ViTDet published ViT-B and larger, pretrained by MAE.
Source: ViTDet (Li et al., ECCV 2022), mask_rcnn_vitdet_b_100ep of detectron2.
Nearest published: 51.6 / 45.9 (AP of boxes / of masks, COCO val2017, ViT-B pretrained by MAE, of
    detectron2).
Protocol: 100 epochs, batch 64 (64 GPUs x 1 image), AdamW 1e-4, decay 0.1 but of positions, norms
    and what shortcuts learn, a block at 0.7 times the rate of the next one, warm-up of 250 steps,
    divided by 10 after epochs 89 and 96; the scale jittered by 0.1 to 2, crops of 1024; stochastic
    depth 0.1.
Chosen: as in ViTDet, windows of 14 x 14 tokens, but for 4 of the 12 blocks, and a simple feature
    pyramid from the last map. Positions are absolute alone, and the last map has the final
    LayerNorm.
Assumed: mmdet's heads in place of deeper ones with LayerNorms, and images padded to the largest of
    a batch in place of 1024 x 1024.
Parameters: 42.508 M.
Hardware: 64 GPUs x 1 image, as published for ViT-B.
Weights: ImageNet checkpoint in checkpoints/deit_s.pth.

    python tools/train.py configs/coco/mask_rcnn_deit_s.py
    bash tools/dist_train.sh configs/coco/mask_rcnn_deit_s.py 64
"""

_base_ = [
    '../_base_/models/mask_rcnn.py',
    '../_base_/datasets/coco_instance_1024.py',
    '../_base_/default_runtime.py',
]

model = dict(
    backbone=dict(
        type='vitbackbones.ViT',
        arch='s',
        drop_path_rate=0.1,
        window_size=14,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/deit_s.pth'),
    )
)

optim_wrapper = dict(
    type='OptimWrapper',
    constructor='vitbackbones.LayerDecayOptimWrapperConstructor',
    optimizer=dict(type='AdamW', lr=1e-4, weight_decay=0.1),
    paramwise_cfg=dict(layer_decay_rate=0.7, norm_decay_mult=0.0),
)
param_scheduler = [
    dict(type='LinearLR', start_factor=0.001, begin=0, end=250, by_epoch=False),
    dict(type='MultiStepLR', begin=0, end=100, by_epoch=True, milestones=[89, 96], gamma=0.1),
]
train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=100, val_interval=5)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
auto_scale_lr = dict(enable=False, base_batch_size=64)
train_dataloader = dict(batch_size=1)
