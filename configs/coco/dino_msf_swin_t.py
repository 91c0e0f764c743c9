"""DINO on MSF-Swin-T, COCO, 12 epochs.

Reproduces: nothing; no result of DINO on this backbone was published.
Chosen: stages 2 to 4, strides 8 to 32, the last after the final LayerNorm.
Parameters: 50.352 M.
Hardware: 8 GPUs x 2 images.
Weights: ImageNet checkpoint in checkpoints/msf_swin_t.pth.

    python tools/train.py configs/coco/dino_msf_swin_t.py
    bash tools/dist_train.sh configs/coco/dino_msf_swin_t.py 8
"""

_base_ = '../_base_/recipes/dino_12e_coco.py'

model = dict(
    backbone=dict(
        type='vitbackbones.MSFSwin',
        arch='t',
        drop_path_rate=0.2,
        init_cfg=dict(type='vitbackbones.Pretrained', checkpoint='checkpoints/msf_swin_t.pth'),
    )
)
