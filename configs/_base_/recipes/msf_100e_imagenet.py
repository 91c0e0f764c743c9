"""MSF's recipe for ImageNet-1k, 100 epochs.

Source: MSF (Kobayashi, CVPR 2024), paper and the repository's script for ViT-S.
Protocol: 100 epochs, batch 1024 (4 GPUs x 256 images), AdamW 1e-3, decay 0.05 of everything,
    clipped at 1, warm-up 10, cosine; 3-Augment, jitter 0.3, MixUp or CutMix 0.2, smoothing 0.1,
    repeated augmentation. No stochastic depth but in Swin, no average of the weights. Published in
    float16; --amp takes bfloat16 where the GPU has it.
Assumed for other models than ViT-S: its mixing and batch size; the paper tunes both by size and
    does not print them.
3-Augment (Touvron et al., "DeiT III", ECCV 2022): exactly one of grayscale, inverted highlights
    and blur. The blur's strength is uniform in [0.1, 2] pixels; the published one cuts its Gaussian
    at 11 pixels. Images are repeated in every run, by the published code in distributed ones only.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the backbone.
"""

_base_ = [
    '../models/classifier.py',
    '../datasets/imagenet.py',
    '../cls_runtime.py',
]

model = dict(
    train_cfg=dict(augments=[dict(type='Mixup', alpha=0.2), dict(type='CutMix', alpha=0.2)])
)
optim_wrapper = dict(
    type='OptimWrapper',
    optimizer=dict(type='AdamW', lr=1e-3, weight_decay=0.05),
    clip_grad=dict(max_norm=1.0),
)
param_scheduler = [
    dict(type='LinearLR', start_factor=0.033, begin=0, end=11),
    dict(type='CosineAnnealingLR', begin=10, end=100, T_max=90),
]
train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=100, val_interval=1)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
auto_scale_lr = dict(enable=False, base_batch_size=1024)

train_steps = dict(
    load=dict(type='vitbackbones.LoadImage', decode='reduced'),
    crop=dict(type='vitbackbones.RandomResizedCrop', scale=224, interpolation='bilinear'),
    flip=dict(type='vitbackbones.RandomFlip', prob=0.5),
    augment=dict(
        type='RandomChoice',
        transforms=[
            [
                dict(
                    type='RandomGrayscale',
                    prob=1.0,
                    keep_channels=True,
                    channel_weights=(0.114, 0.587, 0.299),
                )
            ],
            [dict(type='Solarize', thr=128, prob=1.0)],
            [dict(type='GaussianBlur', magnitude_range=(0.1, 2.0), magnitude_std='inf', prob=1.0)],
        ],
    ),
    jitter=dict(type='ColorJitter', brightness=0.3, contrast=0.3, saturation=0.3, backend='cv2'),
    planes=dict(type='vitbackbones.ToPlanes'),
    pack=dict(type='PackInputs'),
)
test_steps = dict(
    load=dict(type='LoadImageFromFile'),
    resize=dict(
        type='ResizeEdge', scale=256, edge='short', backend='pillow', interpolation='bilinear'
    ),
    crop=dict(type='CenterCrop', crop_size=224),
    pack=dict(type='PackInputs'),
)
train_pipeline = list(train_steps.values())
test_pipeline = list(test_steps.values())

train_dataloader = dict(batch_size=256, dataset=dict(pipeline=train_pipeline))
val_dataloader = dict(dataset=dict(pipeline=test_pipeline))
test_dataloader = val_dataloader
