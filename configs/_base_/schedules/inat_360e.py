"""DeiT's fine-tuning on iNaturalist, batch 768: AdamW 7.5e-5, decay 0.05, 360 epochs.

As its author gave it; the warm-up starts at 1e-6 and the cosine ends at 1e-5, as on ImageNet.
"""

_base_ = './deit_300e.py'

optim_wrapper = dict(optimizer=dict(lr=7.5e-5))
param_scheduler = [
    dict(type='LinearLR', start_factor=1 / 75, begin=0, end=6),
    dict(type='CosineAnnealingLR', eta_min_ratio=2 / 15, begin=0, end=360, T_max=360),
]
train_cfg = dict(max_epochs=360)
auto_scale_lr = dict(base_batch_size=768)
