"""T2T-ViT-14: one map of stride 16."""

backbone = dict(
    type='vitbackbones.T2T',
    arch='14',
    drop_path_rate=0.1,
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/t2t_14.pth'),
)
maps = dict(in_channels=[384], in_strides=[16])
