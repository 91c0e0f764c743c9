"""T2T-ViT's schedule at batch 512: AdamW 5e-4, warm-up of 10 epochs, cosine to 1e-5 at 300.

Ten more epochs at the last rate, as the repository's script adds them; the rest as DeiT's.
"""

_base_ = './deit_300e.py'

optim_wrapper = dict(optimizer=dict(lr=5e-4))
param_scheduler = [
    dict(type='LinearLR', start_factor=2e-3, begin=0, end=11),
    dict(type='CosineAnnealingLR', eta_min_ratio=0.02, begin=0, end=301, T_max=300),
]
train_cfg = dict(max_epochs=310)
auto_scale_lr = dict(base_batch_size=512)
