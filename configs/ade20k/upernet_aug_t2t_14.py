"""UPerNet on Aug-T2T-14, ADE20K.

Reproduces: nothing published; the recipe names the nearest.
Maps: of blocks 3, 7, 10 and 14, brought to strides 4, 8, 16 and 32 in the neck.
Parameters: 50.972 M.
Hardware: 8 GPUs x 2 images, as Swin's.
Weights: ImageNet checkpoint in checkpoints/aug_t2t_14.pth.

    python tools/train.py configs/ade20k/upernet_aug_t2t_14.py
    bash tools/dist_train.sh configs/ade20k/upernet_aug_t2t_14.py 8
"""

_base_ = '../_base_/recipes/upernet_160k_ade20k.py'

model = dict(
    backbone=dict(
        type='vitbackbones.AugT2T',
        arch='14',
        drop_path_rate=0.1,
        out_indices=(2, 6, 9, 13),
        init_cfg=dict(
            type='vitbackbones.Pretrained',
            checkpoint='checkpoints/aug_t2t_14.pth',
            allow_missing=['*.shortcut_*'],
        ),
    )
)
