"""Aug-ViT-S: one map of stride 16.

The weights may be those of the plain form, too: the augmented paths then start untrained.
"""

backbone = dict(
    type='vitbackbones.AugViT',
    arch='s',
    drop_path_rate=0.1,
    init_cfg=dict(
        type='vitbackbones.Pretrained',
        checkpoint='checkpoints/aug_vit_s.pth',
        allow_missing=['*.shortcut_*'],
    ),
)
maps = dict(in_channels=[384], in_strides=[16])
