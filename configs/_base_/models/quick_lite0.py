"""EfficientNet-Lite0 with ImageNet weights, the backbone of the quick configs that start from them.

The weights come by pip (docs/weights.md). The maps are those of stride 8, 16 and 32. A run config
names this file beside the head's:

    model = dict(backbone=_base_.quick_lite0, data_preprocessor=_base_.lite0_images)
"""

quick_lite0 = dict(
    _delete_=True,
    type='vitbackbones.Timm',
    name='tf_efficientnet_lite0',
    out_indices=(2, 3, 4),
    init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='tf_efficientnet_lite0'),
)
lite0_images = dict(mean=[127.5] * 3, std=[127.5] * 3)
