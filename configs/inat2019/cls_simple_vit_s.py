"""Simple ViT-S fine-tuned on iNaturalist 2019.

Reproduces: MSF (Kobayashi, CVPR 2024), Table 7, ViT-S, orig.
Published: 73.45 (top-1).
Assumed: DeiT-B's recipe, as none was published; started from the 100 epochs of ImageNet.
Hardware: 8 GPUs x 96 images.
Weights: result of cls_simple_vit_s_imagenet in checkpoints/simple_vit_s.pth; the head starts anew.

    bash tools/dist_train.sh configs/inat2019/cls_simple_vit_s.py 8 --amp
    python tools/train.py configs/inat2019/cls_simple_vit_s.py
"""

_base_ = ['../_base_/recipes/deit_360e_inat.py', '../_base_/datasets/inat2019.py']

model = dict(
    data_preprocessor=dict(num_classes=1010),
    backbone=dict(
        type='vitbackbones.SimpleViT',
        arch='s',
        out_type='pooled',
        drop_path_rate=0.1,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/simple_vit_s.pth'),
    ),
    head=dict(num_classes=1010, init_cfg=None),
)
