"""DETR on ResNet-50, COCO: the baseline of the transformer rows.

Reproduces: PVT (Wang et al., ICCV 2021), DETR on R50; Aug-ViT, Table 9, R50.
Published: 32.3 53.9 32.3 10.7 33.8 53.0 (AP AP50 AP75 APs APm APl, COCO val2017).
Released: detr-r50-e632da11.pth, 42.0 AP, 62.4 AP50 after 500 epochs with crops
    (facebookresearch/detr's model zoo and hubconf.py); loads as it is, not evaluated here. R101
    (detr-r101-2c7b67e5.pth, 43.5 AP) needs --cfg-options model.backbone.depth=101.
Maps: stage 4 alone, stride 32, no dilation; stem, first stage and batch norms frozen.
Assumed: test images padded to 32 as in training (published: not padded; padding is masked).
Parameters: 41.575 M, 41.300 of them trained (the paper prints 41).
Hardware: 8 GPUs x 2 images, as published.
Weights: ImageNet checkpoint in checkpoints/resnet50-0676ba61.pth (torchvision).

    python tools/test.py configs/coco/detr_r50.py checkpoints/detr-r50-e632da11.pth
    python tools/train.py configs/coco/detr_r50.py
    bash tools/dist_train.sh configs/coco/detr_r50.py 8
"""

_base_ = '../_base_/recipes/detr_50e_coco.py'

model = dict(
    backbone=dict(
        type='ResNet',
        depth=50,
        num_stages=4,
        out_indices=(3,),
        frozen_stages=1,
        norm_cfg=dict(type='BN', requires_grad=False),
        norm_eval=True,
        style='pytorch',
        init_cfg=dict(
            type='vitbackbones.Pretrained', checkpoint='checkpoints/resnet50-0676ba61.pth'
        ),
    ),
)
