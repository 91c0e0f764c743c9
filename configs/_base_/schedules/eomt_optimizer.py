"""The optimizer of EoMT: AdamW 1e-4, less by 0.8 for each block, gradients of norm 0.01.

``auto_scale_lr`` names the batch size the rates are meant for and changes nothing until it is
switched on (``auto_scale_lr.enable=True``).
"""

optim_wrapper = dict(
    type='OptimWrapper',
    constructor='vitbackbones.LayerDecayOptimWrapperConstructor',
    optimizer=dict(type='AdamW', lr=1e-4, weight_decay=0.05),
    clip_grad=dict(max_norm=0.01, norm_type=2),
    paramwise_cfg=dict(layer_decay_rate=0.8),
)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
auto_scale_lr = dict(enable=False, base_batch_size=16)
