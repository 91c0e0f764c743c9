"""Aug-T2T and Aug-PVT at the papers' depth, 24 and 28 blocks: shortcuts times 3/4, times 1, none.

The widths are small, the depths those of `aug_t2t_24` and `aug_pvt_m`; neither has published code.
Each variant has a rate of its own, as in `shortcut_24.py`.

    OMP_NUM_THREADS=1 python tools/compare.py configs/studies/deep_hosts.py --jobs 2
"""

base = '_base_/vit_fashion_mnist.py'
source = 'Tang et al., "Augmented Shortcuts", 2021: ImageNet top-1, Table 2, T2T-ViT-24 and PVT-M'
metric = 'accuracy/top1'
length = 600
seeds = (0, 1, 2)
rates = (3e-4, 1e-3)
smallest_effect = 1.0
baseline = 't2t_24'

_t2t = dict(
    type='vitbackbones.AugT2T',
    arch=dict(embed_dims=64, depth=24, num_heads=2),
    img_size=28,
    in_channels=1,
    out_type='cls_token',
)
_pvt = dict(
    type='vitbackbones.AugPVT',
    arch=dict(
        depths=(3, 4, 18, 3),
        embed_dims=(16, 32, 64, 64),
        num_heads=(1, 1, 2, 2),
        mlp_ratios=(4, 4, 4, 4),
        sr_ratios=(4, 2, 1, 1),
    ),
    img_size=28,
    in_channels=1,
    out_type='cls_token',
)


def _host(backbone, **shortcut):
    return {'model.backbone': dict(_delete_=True, **backbone, shortcut=shortcut)}


_paths = dict(type='AugmentedShortcut', paths=2, blocks=4)
variants = dict(
    t2t_24=dict(options=_host(_t2t, type='IdentityShortcut'), paper=82.3),
    aug_t2t_24=dict(options=_host(_t2t, **_paths, scale=1.0), paper=83.6, expected=(-1, 1)),
    aug_t2t_24_scaled=dict(options=_host(_t2t, **_paths, scale=0.75), expected=(-70, -1)),
    pvt_m=dict(options=_host(_pvt, type='IdentityShortcut'), paper=81.2, against='pvt_m'),
    aug_pvt_m=dict(
        options=_host(_pvt, **_paths, scale=1.0), paper=82.3, against='pvt_m', expected=(-1, 1)
    ),
    aug_pvt_m_scaled=dict(
        options=_host(_pvt, **_paths, scale=0.75), against='pvt_m', expected=(-70, -1)
    ),
)
