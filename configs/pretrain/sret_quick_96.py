"""The last epochs of the SReT of the quick configs, at 64 to 128 pixels instead of 64.

Reproduces: nothing published.
Schedule: 7 epochs after the 24 of sret_quick, AdamW 1e-3, warm-up of 150 iterations, cosine to
    0.5 %. Each batch is at 64 x 64, 96 x 96 or 128 x 128, as detectors show objects in all sizes.
    Flips and CutMix make many images of each crop that the teacher has seen.
Measured: top-1 48.7 at 96 x 96, 51.0 at 128 x 128; its weights are those of sret_quick.
Hardware: two CPU cores.

    python tools/train.py configs/pretrain/sret_quick_96.py --amp \
        --data-root data/tiny-imagenet-200 --cache-gb 6 --cache-views 2
"""

_base_ = './sret_quick.py'

load_from = 'work_dirs/sret_quick_pretrain/epoch_24.pth'
model = dict(student_sizes=[96, 64, 128], flip_prob=0.5, cutmix_prob=0.5)
optim_wrapper = dict(optimizer=dict(lr=1e-3))
param_scheduler = [
    dict(type='LinearLR', start_factor=0.01, by_epoch=False, begin=0, end=150),
    dict(
        type='CosineAnnealingLR',
        eta_min_ratio=0.005,
        begin=0,
        end=7,
        by_epoch=True,
        convert_to_iter_based=True,
    ),
]
train_cfg = dict(max_epochs=7)
