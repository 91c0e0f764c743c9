"""A ViT of 12 narrow blocks on 16 patches, CamVid crops: what the studies of parts start from.

Evaluated once, after the last epoch, on test, whose frames nothing else has seen. Three epochs take
about a minute on one CPU core.
"""

_base_ = [
    '../../_base_/models/classifier.py',
    '../../_base_/datasets/camvid_crops.py',
    '../../_base_/schedules/cls_shapes.py',
    '../../_base_/cls_runtime.py',
]

model = dict(
    data_preprocessor=dict(num_classes=8),
    backbone=dict(
        type='vitbackbones.ViT',
        arch=dict(embed_dims=64, depth=12, num_heads=2),
        img_size=32,
        patch_size=8,
        out_type='cls_token',
    ),
    head=dict(num_classes=8, topk=(1,)),
    train_cfg=None,
)
val_dataloader = _base_.test_dataloader
param_scheduler = [
    dict(type='LinearLR', start_factor=0.01, begin=0, end=1, convert_to_iter_based=True),
    dict(
        type='CosineAnnealingLR',
        eta_min_ratio=0.01,
        begin=1,
        end=3,
        T_max=2,
        convert_to_iter_based=True,
    ),
]
train_cfg = dict(max_epochs=3, val_interval=3)
default_hooks = dict(checkpoint=dict(max_keep_ckpts=1, save_best=None))
