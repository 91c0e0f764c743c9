"""SETR-MLA on CamVid, road scenes in eleven classes: a small real data set on one GPU.

Protocol: 20 000 steps at batch 16, AdamW 3e-4; crops of 320 x 320, tested in windows of that size
    at steps of 213. Nothing was published.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the backbone with its weights.
"""

_base_ = [
    '../models/setr_mla.py',
    '../datasets/camvid.py',
    '../schedules/setr_20k.py',
    '../segmentation_runtime.py',
]

model = dict(
    data_preprocessor=dict(size=(320, 320)),
    decode_head=dict(num_classes=11),
    auxiliary_head=dict(num_classes=11),
    test_cfg=dict(crop_size=(320, 320), stride=(213, 213)),
)
default_hooks = dict(checkpoint=dict(interval=1000, max_keep_ckpts=2))
