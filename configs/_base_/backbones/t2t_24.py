"""T2T-ViT-24: one map of stride 16."""

backbone = dict(
    type='vitbackbones.T2T',
    arch='24',
    drop_path_rate=0.1,
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/t2t_24.pth'),
)
maps = dict(in_channels=[512], in_strides=[16])
