"""The optimizer of Mask2Former: AdamW 1e-4, the backbone at a tenth of it, gradients of norm 0.01.

Norms, embeddings, position codes and what a shortcut learns are not decayed. ``auto_scale_lr``
names the batch size the rates are meant for and changes nothing until it is switched on
(``auto_scale_lr.enable=True``).
"""

norms = [f'.{name}.{part}' for name in ('norm', 'norm1', 'norm2') for part in ('weight', 'bias')]
in_backbone = [*norms, '.pos_embed', 'relative_position_bias_table', '.shortcut']
in_head = ['query_embed', 'query_feat', 'level_embed']

optim_wrapper = dict(
    type='OptimWrapper',
    optimizer=dict(type='AdamW', lr=1e-4, weight_decay=0.05, eps=1e-8, betas=(0.9, 0.999)),
    clip_grad=dict(max_norm=0.01, norm_type=2),
    paramwise_cfg=dict(
        custom_keys={  # parts of names; the longest that fits a parameter decides alone
            'backbone': dict(lr_mult=0.1, decay_mult=1.0),
            **dict.fromkeys(in_backbone, dict(lr_mult=0.1, decay_mult=0.0)),
            **dict.fromkeys(in_head, dict(lr_mult=1.0, decay_mult=0.0)),
        },
        norm_decay_mult=0.0,  # of the head
    ),
)
val_cfg = dict(type='ValLoop')
test_cfg = dict(type='TestLoop')
auto_scale_lr = dict(enable=False, base_batch_size=16)
