"""DeiT-Ti with a distillation token: one map of stride 16."""

backbone = dict(
    type='vitbackbones.ViT',
    arch='ti',
    with_dist_token=True,
    drop_path_rate=0.1,
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/deit_ti_distilled.pth'),
)
maps = dict(in_channels=[192], in_strides=[16])
