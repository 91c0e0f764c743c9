"""UPerNet on DeiT-S, ADE20K.

Reproduces: nothing published in this form.
Nearest published: 43.82 / 45.07 (mIoU, one scale / several with flips, UPerNet on DeiT-S with
    four sizes of maps, mmsegmentation).
Maps: of blocks 3, 6, 9 and 12, brought to strides 4, 8, 16 and 32 in the neck.
Parameters: 51.370 M.
Hardware: 8 GPUs x 2 images, as Swin's.
Weights: ImageNet checkpoint in checkpoints/deit_s.pth.

    python tools/train.py configs/ade20k/upernet_deit_s.py
    bash tools/dist_train.sh configs/ade20k/upernet_deit_s.py 8
"""

_base_ = '../_base_/recipes/upernet_160k_ade20k.py'

model = dict(
    backbone=dict(
        type='vitbackbones.ViT',
        arch='s',
        drop_path_rate=0.1,
        out_indices=(2, 5, 8, 11),
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/deit_s.pth'),
    )
)
