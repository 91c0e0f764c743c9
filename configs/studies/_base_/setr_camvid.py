"""SETR-MLA on a small plain ViT, CamVid: what the study of attention on photographs starts from.

Batches of 8 crops of 128 x 128 from frames of 192 x 144, so that a run takes minutes. The frames of
val choose the rates, those of test are the test; most of these are of a drive in no other split.
"""

_base_ = '../../camvid/setr_mla_simple_vit_ti.py'

model = dict(
    data_preprocessor=dict(size=(128, 128)),
    backbone=dict(img_size=128),
    test_cfg=dict(crop_size=(128, 128), stride=(64, 64)),
)

train_steps = _base_.train_steps
train_steps.resize.scale = (192, 144)
train_steps.crop.crop_size = (128, 128)
train_pipeline = list(train_steps.values())
test_steps = _base_.test_steps
test_steps.resize.scale = (192, 144)
test_pipeline = list(test_steps.values())

train_dataloader = dict(batch_size=8, dataset=dict(pipeline=train_pipeline))
val_dataloader = dict(dataset=dict(pipeline=test_pipeline))
test_dataloader = dict(dataset=dict(pipeline=test_pipeline))
default_hooks = dict(checkpoint=dict(max_keep_ckpts=1, save_best=None), curves=None)
