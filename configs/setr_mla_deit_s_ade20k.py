"""SETR-MLA on DeiT-S, ADE20K.

Reproduces: nothing published.
Nearest published: 46.15 / 47.71 (mIoU, one scale / several with flips, SETR-MLA on DeiT-B, SETR).
Nearest published: 42.87 (mIoU, UPerNet on DeiT-S, mmsegmentation).
Protocol: 160k iterations at batch 16, SGD 1e-3, heads at ten times that, no decay; crops of
    512 x 512; tested in windows of 512 at steps of 341. --tta: six scales and flips.
Assumed: blocks 2, 5, 8, 11 (counted from 0), as SETR on DeiT-B. As in SETR-MLA the encoder has
    no class token and no final norm; the neck has one for each map.
Parameters: 27.358 M.
Hardware: 8 GPUs x 2 images, as SETR's.
Weights: ImageNet checkpoint in checkpoints/deit_s.pth.

    python tools/train.py configs/setr_mla_deit_s_ade20k.py
    bash tools/dist_train.sh configs/setr_mla_deit_s_ade20k.py 8
"""

_base_ = [
    '_base_/models/setr_mla.py',
    '_base_/datasets/ade20k.py',
    '_base_/schedules/setr_160k.py',
    '_base_/segmentation_runtime.py',
]

model = dict(
    backbone=dict(
        type='vitbackbones.ViT',
        arch='s',
        img_size=512,
        with_cls_token=False,
        final_norm=False,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/deit_s.pth'),
    ),
    neck=dict(in_channels=[384, 384, 384, 384]),
)
