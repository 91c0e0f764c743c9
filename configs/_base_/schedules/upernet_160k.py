"""Swin's ADE20K schedule: 160k iterations on 8 GPUs x 2 images, AdamW, linear decay to 0.

Norms, position codes and what a shortcut learns are not decayed. ``auto_scale_lr`` names the batch
size the rates are meant for and changes nothing until it is switched on
(``auto_scale_lr.enable=True``).
"""

undecayed = ('norm', 'pos_embed', 'relative_position_bias_table', '.shortcut')

optim_wrapper = dict(
    type='OptimWrapper',
    optimizer=dict(type='AdamW', lr=6e-5, betas=(0.9, 0.999), weight_decay=0.01),
    paramwise_cfg=dict(custom_keys=dict.fromkeys(undecayed, dict(decay_mult=0.0))),
)
param_scheduler = [
    dict(type='LinearLR', start_factor=1e-6, begin=0, end=1500, by_epoch=False),
    dict(type='PolyLR', eta_min=0.0, power=1.0, begin=1500, end=160000, by_epoch=False),
]
train_cfg = dict(type='IterBasedTrainLoop', max_iters=160000, val_interval=16000)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
auto_scale_lr = dict(enable=False, base_batch_size=16)
