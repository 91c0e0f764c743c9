"""SReT-T with half its blocks learns from the small ViT of cls_deit_ti_shapes, Shapes.

The wiring of cls_sret_t_distill_imagenet: the teacher's probabilities are all that is learned from.
Hardware: two CPU cores or any GPU.

    python -m vitbackbones.data.shapes data/shapes_folders --layout folders --size 64
    python tools/train.py configs/shapes/cls_deit_ti.py
    python tools/train.py configs/shapes/cls_sret_t_distill.py
"""

_base_ = ['cls_sret_t.py']

model = dict(
    type='vitbackbones.Distilled',
    teacher=dict(
        type='vitbackbones.ImageClassifier',
        backbone=dict(
            type='vitbackbones.ViT',
            arch=dict(embed_dims=96, depth=4, num_heads=3),
            img_size=64,
            patch_size=8,
            out_type='cls_token',
        ),
        head=dict(type='LinearClsHead', num_classes=3, in_channels=96),
    ),
    teacher_checkpoint='work_dirs/cls_deit_ti_shapes/epoch_10.pth',
)
