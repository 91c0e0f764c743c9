"""ADE20K in the usual layout under data/ade, 150 classes, with mmseg's pipeline.

Label 0 of the masks is no class (the data set's ``reduce_zero_label``). A training image is resized
to 0.5-2 times (2048, 512), cropped to 512 x 512 with at most 0.75 of one class, flipped, and
changed in color. ``test --tta`` averages over six scales, each plain and flipped.
"""

_base_ = './segmentation_loaders.py'

dataset_type = 'ADE20KDataset'
data_root = 'data/ade/ADEChallengeData2016'
crop_size = (512, 512)
load_mask = dict(type='vitbackbones.LoadMask', num_classes=150)

train_steps = dict(
    load=dict(type='vitbackbones.LoadImage'),
    load_mask=load_mask,
    resize=dict(type='RandomResize', scale=(2048, 512), ratio_range=(0.5, 2.0), keep_ratio=True),
    crop=dict(type='vitbackbones.RandomCrop', crop_size=crop_size, cat_max_ratio=0.75),
    flip=dict(type='RandomFlip', prob=0.5),
    order=dict(type='vitbackbones.InOrder'),
    color=dict(type='vitbackbones.PhotoMetricDistortion'),
    planes=dict(type='vitbackbones.ToPlanes'),
    pack=dict(type='PackSegInputs'),
)
test_steps = dict(
    load=dict(type='LoadImageFromFile'),
    resize=dict(type='Resize', scale=(2048, 512), keep_ratio=True),
    load_mask=load_mask,  # behind Resize: never resized
    pack=dict(type='PackSegInputs'),
)
train_pipeline = list(train_steps.values())
test_pipeline = list(test_steps.values())
# the same at 0.5 to 1.75 times that size, plain and flipped
tta_pipeline = [
    dict(type='LoadImageFromFile'),
    dict(
        type='TestTimeAug',
        transforms=[
            [
                dict(type='Resize', scale=(4 * side, side), keep_ratio=True)
                for side in (256, 384, 512, 640, 768, 896)
            ],
            [dict(type='RandomFlip', prob=0.0), dict(type='RandomFlip', prob=1.0)],
            [load_mask],
            [dict(type='PackSegInputs')],
        ],
    ),
]

train_dataloader = dict(
    batch_size=2,
    dataset=dict(
        type=dataset_type,
        data_root=data_root,
        data_prefix=dict(img_path='images/training', seg_map_path='annotations/training'),
        pipeline=train_pipeline,
    ),
)
val_dataloader = dict(
    dataset=dict(
        type=dataset_type,
        data_root=data_root,
        data_prefix=dict(img_path='images/validation', seg_map_path='annotations/validation'),
        pipeline=test_pipeline,
    ),
)
test_dataloader = val_dataloader
