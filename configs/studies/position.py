"""Position codes of TNT: of the patches, of the pixels in a patch, both, or neither.

OMP_NUM_THREADS=1 python tools/compare.py configs/studies/position.py --jobs 2
"""

base = '_base_/tnt_fashion_mnist.py'
source = 'Han et al., "Transformer in Transformer", first version, 2021: ImageNet top-1, Table 5'
metric = 'accuracy/top1'
length = 900
seeds = (0, 1, 2, 3, 4)
rates = (3e-4, 1e-3, 2e-3)
smallest_effect = 0.6
baseline = 'neither'

_patch, _pixel = 'model.backbone.patch_position', 'model.backbone.pixel_position'
variants = dict(
    neither=dict(options={_patch: False, _pixel: False}, paper=80.5),
    patches=dict(options={_pixel: False}, paper=80.8, expected=(0.5, 3)),
    pixels=dict(options={_patch: False}, paper=80.7, expected=(-0.3, 1)),
    both=dict(paper=81.3, expected=(0.5, 3)),
)
