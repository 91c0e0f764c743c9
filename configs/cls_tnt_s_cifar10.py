"""TNT-S fine-tuned on CIFAR-10 at 384 pixels.

Reproduces: TNT (Han et al., NeurIPS 2021), Table 8 of its first version on arXiv,
    TNT-S at 384 pixels.
Published: 98.7 (top-1).
Protocol: 64 epochs, the settings of ImageNet kept, positions resized when the weights are loaded
    (paper); AdamW 5e-5, decay 5e-4, warm-up 5, batches of 16, repeated augmentation, average of the
    weights (the author's command for TNT-B on CIFAR-10).
Assumed: the same for TNT-S; 8 GPUs. At the end 37 % of the random head are still in the average.
Hardware: 8 GPUs x 16 images.
Weights: result of cls_tnt_s_imagenet in checkpoints/tnt_s.pth; the head starts anew.

    bash tools/dist_train.sh configs/cls_tnt_s_cifar10.py 8 --amp
    python tools/train.py configs/cls_tnt_s_cifar10.py
"""

_base_ = [
    '_base_/models/classifier_half.py',
    '_base_/datasets/cifar10_384_half.py',
    '_base_/schedules/transfer_64e.py',
    '_base_/cls_runtime_ema.py',
]

model = dict(
    data_preprocessor=dict(num_classes=10),
    backbone=dict(
        type='vitbackbones.TNT',
        arch='s',
        img_size=384,
        out_type='cls_token',
        drop_path_rate=0.1,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/tnt_s.pth'),
    ),
    head=dict(num_classes=10, in_channels=384),
)
