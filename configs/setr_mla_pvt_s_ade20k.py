"""SETR-MLA on PVT-Small, ADE20K.

Reproduces: nothing published.
Nearest published: 46.15 / 47.71 (mIoU, one scale / several with flips, SETR-MLA on DeiT-B, SETR).
Protocol: 160k iterations at batch 16, SGD 1e-3, heads at ten times that, no decay; crops of
    512 x 512; tested in windows of 512 at steps of 341. --tta: six scales and flips.
Assumed: the pyramid is brought to stride 16 in the neck, by averages over cells from finer maps
    and bilinearly from stride 32. That is the resolution that the head was made for: it keeps
    its function and cost, so that the table compares backbones. (At stride 8 the classifier
    alone costs four times as much.) Naive and PUP would read the last map, the only one that
    has passed all blocks, with stride=32 in the head and auxiliary_head=None, as the other
    maps have other widths.
Parameters: 30.858 M.
Hardware: 8 GPUs x 2 images, as SETR's.
Weights: ImageNet checkpoint in checkpoints/pvt_s.pth.

    python tools/train.py configs/setr_mla_pvt_s_ade20k.py
    bash tools/dist_train.sh configs/setr_mla_pvt_s_ade20k.py 8
"""

_base_ = [
    '_base_/models/setr_mla.py',
    '_base_/datasets/ade20k.py',
    '_base_/schedules/setr_160k.py',
    '_base_/segmentation_runtime.py',
]

model = dict(
    backbone=dict(
        type='vitbackbones.PVT',
        arch='s',
        img_size=512,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/pvt_s.pth'),
    ),
    neck=dict(in_channels=[64, 128, 320, 512], in_strides=[4, 8, 16, 32]),
)
