"""TNT's fine-tuning on small data sets, 64 epochs: AdamW 5e-5 to 1e-5, decay 5e-4, warm-up 5.

Rate, decay and warm-up as the author's command for TNT-B on CIFAR-10 has them, the end of the
cosine as his script by default; the epochs are the paper's, without the script's ten at the end.
The command has 16 images a batch; on how many GPUs was asked and not answered: 8 are assumed.
"""

_base_ = './deit_300e.py'

optim_wrapper = dict(optimizer=dict(lr=5e-5, weight_decay=5e-4))
param_scheduler = [
    dict(type='LinearLR', start_factor=0.02, begin=0, end=6),
    dict(type='CosineAnnealingLR', eta_min_ratio=0.2, begin=0, end=64, T_max=64),
]
train_cfg = dict(max_epochs=64)
auto_scale_lr = dict(base_batch_size=128)
