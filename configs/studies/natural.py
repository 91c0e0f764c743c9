"""The four papers' parts on natural pictures at equal compute: Tiny-ImageNet, 64 pixels.

Widths are such that an image takes 44 to 45 million multiplications in each network. The papers
compare at equal width or depth, so their numbers are not of these pairs.

    OMP_NUM_THREADS=1 python tools/compare.py configs/studies/natural.py --jobs 2
"""

base = '_base_/vit_tiny_imagenet.py'
source = (
    'ImageNet top-1 against DeiT or SimpleViT of the same depth: Tang et al., 2021, Table 2; '
    'Kobayashi, 2024, Table 1; Shen et al., 2022, Table 1; Han et al., 2021, Table 4'
)
metric = 'accuracy/top1'
length = 4
seeds = (0, 1)
smallest_effect = 1.0
baseline = 'plain'

_arch = 'model.backbone.arch'
_paths = dict(type='AugmentedShortcut', paths=2, blocks=4, scale=0.75)
_tnt = dict(
    _delete_=True,
    type='vitbackbones.TNT',
    arch=dict(embed_dims=84, depth=6, num_heads=3, inner_dims=8, inner_heads=2),
    img_size=64,
    patch_size=8,
    pixels=2,
    out_type='cls_token',
)
variants = dict(
    plain=dict(),
    augmented=dict(
        options={f'{_arch}.embed_dims': 84, 'model.backbone.shortcut': _paths},
        paper=(80.9, 79.8),
        expected=(-2.0, 1.0),
    ),
    mean_shift=dict(
        options={
            f'{_arch}.embed_dims': 93,
            'model.backbone.attention': dict(type='MeanShiftAttention'),
        },
        paper=(79.79, 78.98),
        expected=(-1.5, 1.0),
    ),
    recursion=dict(
        options={f'{_arch}.depth': 3, 'model.backbone.recursion': dict(passes=2)},
        paper=(74.0, 72.2),
        expected=(-4.0, 0.0),
    ),
    tnt=dict(options={'model.backbone': _tnt}, paper=(81.5, 79.8), expected=(-1.0, 4.0)),
)
