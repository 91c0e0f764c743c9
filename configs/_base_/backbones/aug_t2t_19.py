"""Aug-T2T-19: one map of stride 16.

The weights may be those of the plain form, too: the augmented paths then start untrained.
"""

backbone = dict(
    type='vitbackbones.AugT2T',
    arch='19',
    drop_path_rate=0.1,
    init_cfg=dict(
        type='vitbackbones.Pretrained',
        checkpoint='checkpoints/aug_t2t_19.pth',
        allow_missing=['*.shortcut_*'],
    ),
)
maps = dict(in_channels=[448], in_strides=[16])
