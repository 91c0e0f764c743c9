"""SETR-Naive on ADE20K.

Source: SETR (Zheng et al., CVPR 2021), configs of the repository.
Protocol: 160k iterations at batch 16 (8 GPUs x 2 images), SGD 1e-2, heads at ten times that, no
    decay; crops of 512 x 512; tested in windows of 512 at steps of 341. --tta: six scales and
    flips.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds the backbone with its weights.
"""

_base_ = [
    '../models/setr_naive.py',
    '../datasets/ade20k.py',
    '../schedules/setr_160k.py',
    '../segmentation_runtime.py',
]

optim_wrapper = dict(optimizer=dict(lr=1e-2))
param_scheduler = [
    dict(
        type='vitbackbones.PolyLR',
        eta_min_ratio=0.01,
        power=0.9,
        begin=0,
        end=160000,
        by_epoch=False,
    )
]
