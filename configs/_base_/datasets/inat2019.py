"""iNaturalist 2019 under data/inat2019, otherwise as 2018."""

_base_ = './inat2018.py'

data_root = 'data/inat2019/'

train_dataloader = dict(dataset=dict(data_root=data_root, ann_file='train2019.json'))
val_dataloader = dict(dataset=dict(data_root=data_root, ann_file='val2019.json'))
test_dataloader = val_dataloader
