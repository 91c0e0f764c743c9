"""UPerNet on Aug-ViT-S, ADE20K.

Reproduces: nothing published; the recipe names the nearest.
Maps: of blocks 3, 6, 9 and 12, brought to strides 4, 8, 16 and 32 in the neck.
Images: mean and std 127.5, as those that the ImageNet weights saw. Plain DeiT weights saw
    ImageNet's: a run from them says what to set.
Parameters: 51.462 M.
Hardware: 8 GPUs x 2 images, as Swin's.
Weights: ImageNet checkpoint in checkpoints/aug_vit_s.pth.

    python tools/train.py configs/ade20k/upernet_aug_vit_s.py
    bash tools/dist_train.sh configs/ade20k/upernet_aug_vit_s.py 8
"""

_base_ = '../_base_/recipes/upernet_160k_ade20k.py'

model = dict(
    data_preprocessor=dict(mean=[127.5] * 3, std=[127.5] * 3),  # as the weights' images
    backbone=dict(
        type='vitbackbones.AugViT',
        arch='s',
        drop_path_rate=0.1,
        out_indices=(2, 5, 8, 11),
        init_cfg=dict(
            type='vitbackbones.Pretrained',
            checkpoint='checkpoints/aug_vit_s.pth',
            allow_missing=['*.shortcut_*'],
        ),
    ),
)
