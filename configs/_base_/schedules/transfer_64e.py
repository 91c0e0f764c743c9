"""TNT's fine-tuning on small data sets, batch 128: AdamW 5e-5, decay 5e-4, warm-up 5, 64 epochs.

Rates as the author gave them for CIFAR-10 (8 GPUs x 16 images); the cosine ends at 0.
"""

_base_ = './deit_300e.py'

optim_wrapper = dict(optimizer=dict(lr=5e-5, weight_decay=5e-4))
param_scheduler = [
    dict(type='LinearLR', start_factor=0.02, begin=0, end=6),
    dict(type='CosineAnnealingLR', begin=5, end=64, T_max=59),
]
train_cfg = dict(max_epochs=64)
auto_scale_lr = dict(base_batch_size=128)
