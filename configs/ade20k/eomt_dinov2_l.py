"""EoMT for semantic segmentation on DINOv2's ViT-L, ADE20K.

Reproduces: EoMT, repository's model zoo.
Published: 58.4 (mIoU, one scale).
Maps: none, the queries join the last 4 of 24 blocks; patches of 16 pixels, resampled from 14.
Parameters: 316.021 M.
Hardware: 8 GPUs x 2 images; published on 4 GPUs x 4 images.
Weights: DINOv2 with registers, hf-hub:timm/vit_large_patch14_reg4_dinov2.lvd142m.

    python tools/train.py configs/ade20k/eomt_dinov2_l.py
    bash tools/dist_train.sh configs/ade20k/eomt_dinov2_l.py 8
"""

_base_ = '../_base_/recipes/eomt_39k_ade20k.py'

model = dict(
    backbone=dict(
        type='vitbackbones.Timm',
        name='vit_large_patch14_reg4_dinov2.lvd142m',
        img_size=512,
        final_norm=True,
        settings=dict(patch_size=16),
        init_cfg=dict(
            type='vitbackbones.Pretrained',
            checkpoint='hf-hub:timm/vit_large_patch14_reg4_dinov2.lvd142m',
        ),
    ),
    decode_head=dict(num_blocks=4),
)
