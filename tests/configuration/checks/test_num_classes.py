"""As many classes in the model as in the data sets, in every task."""

import pytest
from mmengine.config import Config

from vitbackbones.configuration.checks.num_classes import check_classes
from vitbackbones.errors import InputError

THREE = {'type': 'CocoDataset', 'metainfo': {'classes': ('a', 'b', 'c')}}
SEGMENTATION = {
    'decode_head': {'type': 'FCNHead', 'num_classes': 3},
    'auxiliary_head': [{'num_classes': 3}, {'num_classes': 4}],
}


def make_config(model, dataset, **changes):
    loaders = {f'{split}_dataloader': {'dataset': dataset} for split in ('train', 'val')}
    content = {'default_scope': 'mmdet', 'model': model, **loaders, **changes}
    return Config(content, cfg_text=' ', filename='c.py')


@pytest.mark.parametrize(
    ('model', 'dataset', 'message'),
    [
        (
            {'bbox_head': {'num_classes': 80}},
            THREE,
            r'c\.py: model\.bbox_head\.num_classes is 80, but train_dataloader\.dataset\.metainfo'
            r'\.classes names 3 classes \(a, b, c\)\. Set model\.bbox_head\.num_classes=3',
        ),
        (
            {'bbox_head': {'num_classes': 3}},
            {'type': 'mmdet.CocoDataset'},
            r'dataset\.type names 80 classes \(person, ',
        ),
        (SEGMENTATION, THREE, r'model\.auxiliary_head\.1\.num_classes is 4'),
        (
            {'head': {'num_classes': 1000}},
            {'type': 'mmpretrain.CustomDataset', 'classes': ['a', 'b']},
            r'model\.head\.num_classes is 1000, but train_dataloader\.dataset\.classes names 2',
        ),
        (
            {'bbox_head': {'num_classes': 80}},
            {'type': 'RepeatDataset', 'dataset': THREE},
            r'train_dataloader\.dataset\.dataset\.metainfo\.classes names 3',
        ),
        (
            {'panoptic_head': {'num_things_classes': 80, 'num_stuff_classes': 53}},
            THREE,
            r'model\.panoptic_head\.num_things_classes \+ num_stuff_classes is 133, but',
        ),
    ],
)
def test_both_keys_are_named(model, dataset, message):
    with pytest.raises(InputError, match=message):
        check_classes(make_config(model, dataset), ('train', 'val'))


def test_the_preprocessor_of_a_classifier():
    config = make_config({}, THREE, data_preprocessor={'num_classes': 2})
    with pytest.raises(InputError, match=r'data_preprocessor\.num_classes is 2'):
        check_classes(config, ('train',))


@pytest.mark.parametrize(
    ('model', 'dataset'),
    [
        ({'bbox_head': {'num_classes': 3}, 'backbone': {'num_classes': 1000}}, THREE),
        ({'rpn_head': {'num_classes': 1}, 'roi_head': {'bbox_head': {'num_classes': 3}}}, THREE),
        ({'head': {'num_classes': 7}}, {'type': 'mmpretrain.CustomDataset'}),  # folders name them
        ({'head': {'num_classes': 7}}, {'type': 'mmpretrain.CustomDataset', 'classes': 'a.txt'}),
    ],
)
def test_what_need_not_agree(model, dataset):
    check_classes(make_config(model, dataset), ('train', 'val'))


def test_only_the_splits_that_are_used():
    config = make_config({'head': {'num_classes': 3}}, THREE)
    config.val_dataloader.dataset.metainfo.classes = ('a',)
    check_classes(config, ('train',))
    with pytest.raises(InputError, match='but val_dataloader'):
        check_classes(config, ('train', 'val'))
