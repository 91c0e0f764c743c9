"""TNT's and Aug-ViT's augmentation at 384 pixels."""

_base_ = './half.py'

train_pipeline = _base_.train_pipeline
train_pipeline[1].transforms[0][0].scale = 384
train_pipeline[1].transforms[1][0].scale = 384
test_pipeline = _base_.test_pipeline
test_pipeline[1].scale = 426
test_pipeline[2].crop_size = 384
