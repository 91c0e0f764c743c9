"""Semantic FPN on ADE20K.

Source: PVT (Wang et al., ICCV 2021), fpn_pvt_s_ade20k_40k of the repository.
Protocol: 40k iterations at batch 32 (8 GPUs x 4 images), AdamW 2e-4, polynomial decay to 0; crops
    of 512 x 512, tested in one piece, a short side of 512 and both sides stretched to the next
    multiple of 32. The paper has 80k iterations at batch 16 and half the rate, and less mIoU.
Measured here: nothing yet, neither accuracies nor hours.

A run config adds a backbone.
"""

_base_ = [
    '../models/semantic_fpn.py',
    '../datasets/ade20k_aligned.py',
    '../segmentation_runtime.py',
]

optim_wrapper = dict(type='OptimWrapper', optimizer=dict(type='AdamW', lr=2e-4, weight_decay=1e-4))
param_scheduler = [
    dict(type='PolyLR', eta_min=0.0, power=0.9, begin=0, end=40000, by_epoch=False),
]
train_cfg = dict(type='IterBasedTrainLoop', max_iters=40000, val_interval=4000)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
auto_scale_lr = dict(enable=False, base_batch_size=32)
train_dataloader = dict(batch_size=4)
default_hooks = dict(checkpoint=dict(interval=4000))
