"""Mask2Former's COCO schedule: 368 750 iterations (50 epochs) on 8 GPUs x 2 images.

The rate is divided by ten after 8/9 and 26/27 of them. The evaluations after each 5000 end with one
at the last iteration.
"""

_base_ = './mask2former_optimizer.py'

param_scheduler = [
    dict(
        type='MultiStepLR',
        begin=0,
        end=368750,
        by_epoch=False,
        milestones=[327778, 355092],
        gamma=0.1,
    )
]
train_cfg = dict(
    type='IterBasedTrainLoop',
    max_iters=368750,
    val_interval=5000,
    dynamic_intervals=[(365001, 368750)],
)
