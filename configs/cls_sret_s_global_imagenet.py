"""SReT-S with global attention, ImageNet-1k.

Reproduces: SReT (Shen et al., ECCV 2022), repository's README.
Published: 82.0 (top-1, ImageNet val).
Protocol: 300 epochs, batch 512, AdamW 1e-3, decay 0.05, cosine; DeiT's augmentation, stochastic
    depth 0.2. The last weights are reported, not their average.
Assumed: warm-up 30, which the README asks for and the paper finds better; the paper's tables print
    5, and which of the two made the published numbers is not said.
Parameters: 20.900 M.
Hardware: 8 GPUs x 64 images.

    bash tools/dist_train.sh configs/cls_sret_s_global_imagenet.py 8 --amp
    python tools/train.py configs/cls_sret_s_global_imagenet.py
"""

_base_ = [
    '_base_/models/classifier.py',
    '_base_/datasets/imagenet_deit.py',
    '_base_/schedules/sret_s_300e.py',
    '_base_/cls_runtime_ema_aside.py',
]

model = dict(
    backbone=dict(
        type='vitbackbones.SReT', arch='s', groups=None, out_type='pooled', drop_path_rate=0.2
    ),
    head=dict(in_channels=504, init_cfg=None),
)
train_dataloader = dict(batch_size=64)
