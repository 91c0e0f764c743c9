"""ImageNet-1k as MSF augments it: 3-Augment and color jitter, each image three times.

3-Augment (Touvron et al., "DeiT III", ECCV 2022): exactly one of grayscale, inverted highlights
and blur. Then always a jitter of 0.3. No RandAugment, no erasing. The blur's strength is uniform in
[0.1, 2] pixels; the published one cuts its Gaussian at 11 pixels. Images are repeated in every run,
by the published code in distributed ones only.
"""

_base_ = './imagenet.py'

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
