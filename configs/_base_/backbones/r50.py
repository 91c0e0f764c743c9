"""ResNet-50: four maps of strides 4 to 32; stem, first stage and batch norms frozen."""

backbone = dict(
    type='ResNet',
    depth=50,
    num_stages=4,
    out_indices=(0, 1, 2, 3),
    frozen_stages=1,
    norm_cfg=dict(type='BN', requires_grad=False),
    norm_eval=True,
    style='pytorch',
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/resnet50-0676ba61.pth'),
)
maps = dict(in_channels=[256, 512, 1024, 2048], in_strides=[4, 8, 16, 32])
