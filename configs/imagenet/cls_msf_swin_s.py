"""MSF Swin-S, ImageNet-1k.

Reproduces: MSF (Kobayashi, CVPR 2024), Table 6, MSF.
Published: 81.33 (top-1, ImageNet val).
Assumed: stochastic depth as for Swin, which the script takes from torchvision. The code of MSF-Swin
    was not released: that the four maps and the projection have biases, and the logits Swin's
    relative one, is assumed, too.
Parameters: 53.541 M.
Hardware: 4 GPUs x 256 images.

    bash tools/dist_train.sh configs/imagenet/cls_msf_swin_s.py 4 --amp
    python tools/train.py configs/imagenet/cls_msf_swin_s.py
"""

_base_ = '../_base_/recipes/msf_100e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.MSFSwin', arch='s', out_type='pooled', drop_path_rate=0.3)
)
