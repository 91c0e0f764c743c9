"""MSF Swin-T with projections in two groups, 300 epochs, ImageNet-1k.

Reproduces: MSF (Kobayashi, CVPR 2024), Table 6, MSF of 2 groups.
Published: 81.95 (top-1, ImageNet val).
Assumed: stochastic depth as for Swin, which the script takes from torchvision. The code of MSF-Swin
    was not released: that the four maps and the projection have biases, and the logits Swin's
    relative one, is assumed, too.
Parameters: 26.136 M.
Hardware: 4 GPUs x 256 images.

    bash tools/dist_train.sh configs/imagenet/cls_msf_swin_t_g2_300e.py 4 --amp
    python tools/train.py configs/imagenet/cls_msf_swin_t_g2_300e.py
"""

_base_ = '../_base_/recipes/msf_300e_imagenet.py'

model = dict(
    backbone=dict(
        type='vitbackbones.MSFSwin', arch='t', groups=2, out_type='pooled', drop_path_rate=0.2
    )
)
