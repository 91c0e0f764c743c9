"""SETR-MLA on Aug-T2T-14, ADE20K.

Reproduces: nothing published.
Nearest published: 46.15 / 47.71 (mIoU, one scale / several with flips, SETR-MLA on DeiT-B, SETR).
Protocol: 160k iterations at batch 16, SGD 1e-3, heads at ten times that, no decay; crops of
    512 x 512; tested in windows of 512 at steps of 341. --tta: six scales and flips.
Assumed: blocks 2, 6, 9, 13 (counted from 0), the quarters of 14; no class token, no final norm.
    A checkpoint of plain T2T-ViT-14 is accepted too: the augmented paths then start untrained.
Parameters: 26.961 M.
Hardware: 8 GPUs x 2 images, as SETR's.
Weights: ImageNet checkpoint in checkpoints/aug_t2t_14.pth.

    python tools/train.py configs/setr_mla_aug_t2t_14_ade20k.py
    bash tools/dist_train.sh configs/setr_mla_aug_t2t_14_ade20k.py 8
"""

_base_ = [
    '_base_/models/setr_mla.py',
    '_base_/datasets/ade20k.py',
    '_base_/schedules/setr_160k.py',
    '_base_/segmentation_runtime.py',
]

model = dict(
    backbone=dict(
        type='vitbackbones.AugT2T',
        arch='14',
        img_size=512,
        with_cls_token=False,
        final_norm=False,
        init_cfg=dict(
            type='vitbackbones.Pretrained',
            checkpoint='checkpoints/aug_t2t_14.pth',
            allow_missing=['*.shortcut_*'],
        ),
    ),
    neck=dict(in_channels=[384, 384, 384, 384]),
)
