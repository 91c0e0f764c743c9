"""T2T-ViT-19: one map of stride 16."""

backbone = dict(
    type='vitbackbones.T2T',
    arch='19',
    drop_path_rate=0.1,
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/t2t_19.pth'),
)
maps = dict(in_channels=[448], in_strides=[16])
