"""TNT-S fine-tuned on Flowers-102 at 384 pixels.

Reproduces: TNT (Han et al., NeurIPS 2021), Table 8 of its first version on arXiv,
    TNT-S at 384 pixels.
Published: 98.8 (top-1).
Reported: the last weights; at the end 84 % of the random head would be in their average.
Hardware: 8 GPUs x 16 images.
Weights: result of cls_tnt_s_imagenet in checkpoints/tnt_s.pth; the head starts anew.

    bash tools/dist_train.sh configs/flowers102/cls_tnt_s.py 8 --amp
    python tools/train.py configs/flowers102/cls_tnt_s.py
"""

_base_ = [
    '../_base_/recipes/tnt_300e_fine_grained_384.py',
    '../_base_/datasets/flowers102_384_half.py',
]

model = dict(
    data_preprocessor=dict(num_classes=102),
    backbone=dict(
        type='vitbackbones.TNT',
        arch='s',
        img_size=384,
        out_type='cls_token',
        drop_path_rate=0.1,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/tnt_s.pth'),
    ),
    head=dict(num_classes=102),
)
