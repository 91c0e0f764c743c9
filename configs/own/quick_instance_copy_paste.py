"""quick_instance with copy-paste: objects of a second picture are pasted into each picture.

Ghiasi et al., "Simple Copy-Paste is a Strong Data Augmentation Method for Instance Segmentation",
CVPR 2021, with mmdet's step. A run resumes bit-exactly, as the second picture is drawn anew for
each picture and not from a cache.

Reproduces: nothing published; docs/quick.md.
Measured: mask AP50 0.080 on val of cars and 0.106 on val of facades (--steps 600; quick_instance
    0.066 and 0.103), one run each.
Schedule: 2000 steps of 4 pictures of at most 320 x 320.
Weights: quick_mosaics, in the package, whose backbone began as sret_quick.
Hardware: two CPU cores or any GPU.

    python tools/train.py configs/own/quick_instance_copy_paste.py --data-root FOLDER
"""

_base_ = './quick_instance.py'

_steps = _base_.train_steps
_images = _base_.train_dataloader.dataset
_images.pipeline = [
    _steps.load,
    _steps.annotations,
    _steps.resize,
    _steps.crop,
    _steps.flip,
    _steps.filter,
    dict(type='Pad', size=_base_.scale, pad_val=dict(img=(104, 116, 124))),  # blue first
]
train_dataloader = dict(
    dataset=dict(
        _delete_=True,
        type='MultiImageMixDataset',
        dataset=_images,
        pipeline=[dict(type='CopyPaste', max_num_pasted=20), _steps.pack],
    ),
)
