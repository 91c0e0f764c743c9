"""Aug-ViT-Ti: one map of stride 16.

The weights may be those of the plain form, too: the augmented paths then start untrained.
"""

backbone = dict(
    type='vitbackbones.AugViT',
    arch='ti',
    drop_path_rate=0.1,
    init_cfg=dict(
        type='vitbackbones.Pretrained',
        checkpoint='checkpoints/aug_vit_ti.pth',
        allow_missing=['*.shortcut_*'],
    ),
)
maps = dict(in_channels=[192], in_strides=[16])
