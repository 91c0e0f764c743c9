"""MSF ViT-S with projections in two groups fine-tuned on iNaturalist 2019.

Reproduces: MSF (Kobayashi, CVPR 2024), Table 7, ViT-S, MSF of 2 groups.
Published: 74.74 (top-1).
Assumed: DeiT-B's recipe, as none was published; started from the 100 epochs of ImageNet.
Hardware: 8 GPUs x 96 images.
Weights: result of cls_msf_vit_s_g2_imagenet in checkpoints/msf_vit_s_g2.pth; the head starts anew.

    bash tools/dist_train.sh configs/inat2019/cls_msf_vit_s_g2.py 8 --amp
    python tools/train.py configs/inat2019/cls_msf_vit_s_g2.py
"""

_base_ = ['../_base_/recipes/deit_360e_inat.py', '../_base_/datasets/inat2019.py']

model = dict(
    data_preprocessor=dict(num_classes=1010),
    backbone=dict(
        type='vitbackbones.MSFViT',
        arch='s',
        groups=2,
        out_type='pooled',
        drop_path_rate=0.1,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/msf_vit_s_g2.pth'),
    ),
    head=dict(num_classes=1010, init_cfg=None),
)
