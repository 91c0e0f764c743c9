"""MSF Swin-T, 300 epochs, ImageNet-1k.

Reproduces: MSF (Kobayashi, CVPR 2024), Table 6, MSF.
Published: 82.34 (top-1, ImageNet val).
Assumed: stochastic depth as for Swin, which the script takes from torchvision. The code of MSF-Swin
    was not released: that the four maps and the projection have biases, and the logits Swin's
    relative one, is assumed, too.
Parameters: 30.449 M.
Hardware: 4 GPUs x 256 images.

    bash tools/dist_train.sh configs/imagenet/cls_msf_swin_t_300e.py 4 --amp
    python tools/train.py configs/imagenet/cls_msf_swin_t_300e.py
"""

_base_ = '../_base_/recipes/msf_300e_imagenet.py'

model = dict(
    backbone=dict(type='vitbackbones.MSFSwin', arch='t', out_type='pooled', drop_path_rate=0.2)
)
