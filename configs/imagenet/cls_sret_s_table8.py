"""SReT-S in the recipe that the paper's table prints, ImageNet-1k.

Reproduces: SReT (Shen et al., ECCV 2022), Table 8.
Published: as cls_sret_s_imagenet; which of the two recipes made that number is not said.
Its own: batch 512, stochastic depth 0.2.
Parameters: 20.900 M.
Hardware: 8 GPUs x 64 images.

    bash tools/dist_train.sh configs/imagenet/cls_sret_s_table8.py 8 --amp
    python tools/train.py configs/imagenet/cls_sret_s_table8.py
"""

_base_ = '../_base_/recipes/deit_300e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.SReT', arch='s', out_type='pooled', drop_path_rate=0.2),
    head=dict(init_cfg=None),
)
train_dataloader = dict(batch_size=64)
auto_scale_lr = dict(base_batch_size=512)
