"""SETR-PUP on ViT-L, ADE20K.

Reproduces: SETR (Zheng et al., CVPR 2021), repository's README, PUP at batch 16.
Published: 48.62 / 50.09 (mIoU, one scale / several with flips).
Nearest published: 48.24 / 49.99 (mmsegmentation, whose auxiliary heads are three and others).
Maps: blocks 9, 14, 19, 23 (counted from 0); the class token stays in the encoder; no final norm,
    every head has its own.
Differs: positions of another grid are resized bicubically (bilinearly there). The scales of
    the released test resize come out as short sides of 512, 512 and 2048 pixels; --tta has
    mmsegmentation's six, 256 to 896.
Parameters: 317.923 M.
Hardware: 8 GPUs x 2 images, as SETR's.
Weights: ImageNet checkpoint in checkpoints/vit_l.pth.
    The published runs start from timm's jx_vit_large_p16_384 (ImageNet-21k, then 1k at 384). The
    released SETR checkpoints are read as they are: python tools/test.py CONFIG FILE. Those
    ImageNet weights saw mean and std 127.5; SETR's code has ImageNet's, as here.

    python tools/train.py configs/ade20k/setr_pup_vit_l.py
    bash tools/dist_train.sh configs/ade20k/setr_pup_vit_l.py 8
"""

_base_ = '../_base_/recipes/setr_pup_160k_ade20k.py'

model = dict(
    backbone=dict(
        type='vitbackbones.ViT',
        arch='l',
        img_size=512,
        final_norm=False,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/vit_l.pth'),
    ),
)
