"""EoMT for things and stuff on DINOv2's ViT-L, COCO at 640 pixels.

Reproduces: EoMT, repository's model zoo.
Published: 56.0 (PQ, COCO val2017).
Source: EoMT (Kerssies et al., CVPR 2025), configs of the repository.
Protocol: 88 700 iterations (12 epochs) at batch 16, AdamW 1e-4, less by 0.8 for each block, decay
    0.05, polynomial decay to 0, gradients of norm 0.01; images of 0.1 to 2 times 640 pixels, crops
    of 640 x 640; tested at a long side of 640.
Maps: none, the queries join the last 4 of 24 blocks; patches of 16 pixels, resampled from 14.
Assumed: one linear warm-up of 1000 iterations for all; the published head starts after 500, and
    the backbone between 500 and 1500. The last block learns at 0.8 times the rate, as the final
    norm counts as a layer here. Positions and class token are not decayed. In testing, images are
    padded to a multiple of 32 and not to 640 x 640.
Parameters: 316.696 M.
Hardware: 8 GPUs x 2 images; published on 4 GPUs x 4 images.
Weights: DINOv2 with registers, hf-hub:timm/vit_large_patch14_reg4_dinov2.lvd142m.

    python tools/train.py configs/coco/eomt_panoptic_dinov2_l.py
    bash tools/dist_train.sh configs/coco/eomt_panoptic_dinov2_l.py 8
"""

_base_ = [
    '../_base_/models/eomt_panoptic.py',
    '../_base_/datasets/coco_panoptic.py',
    '../_base_/schedules/eomt_optimizer.py',
    '../_base_/detection_iterations_runtime.py',
]

model = dict(
    backbone=dict(
        type='vitbackbones.Timm',
        name='vit_large_patch14_reg4_dinov2.lvd142m',
        img_size=640,
        final_norm=True,
        settings=dict(patch_size=16),
        init_cfg=dict(
            type='vitbackbones.Pretrained',
            checkpoint='hf-hub:timm/vit_large_patch14_reg4_dinov2.lvd142m',
        ),
    ),
    panoptic_head=dict(num_blocks=4),
)

param_scheduler = [
    dict(type='LinearLR', start_factor=0.001, begin=0, end=1000, by_epoch=False),
    dict(type='PolyLR', eta_min=0.0, power=0.9, begin=1000, end=88700, by_epoch=False),
]
train_cfg = dict(type='IterBasedTrainLoop', max_iters=88700, val_interval=8870)
default_hooks = dict(
    checkpoint=dict(interval=8870, save_best='coco_panoptic/PQ', rule='greater'),
)

train_steps = _base_.train_steps
train_steps.resize.scale = (640, 640)
train_steps.crop.crop_size = (640, 640)
train_pipeline = list(train_steps.values())
test_steps = _base_.test_steps
test_steps.resize.scale = (640, 640)
test_pipeline = list(test_steps.values())

train_dataloader = dict(dataset=dict(pipeline=train_pipeline))
val_dataloader = dict(dataset=dict(pipeline=test_pipeline))
test_dataloader = val_dataloader
