"""Class names of checkpoints and configs, and messages where they differ."""

import pytest
from mmengine.config import Config
from torch import nn

from vitbackbones.classes import (
    checkpoint_meta,
    config_meta,
    count_classes,
    require_same_count,
    require_same_names,
)
from vitbackbones.errors import InputError


def config(scope, dataset):
    return Config({'default_scope': scope, 'test_dataloader': {'dataset': dataset}})


@pytest.mark.parametrize(
    ('scope', 'dataset', 'number', 'first'),
    [
        ('mmdet', {'type': 'CocoDataset'}, 80, 'person'),
        ('mmseg', {'type': 'ADE20KDataset'}, 150, 'wall'),
        ('mmdet', {'type': 'CocoDataset', 'metainfo': {'classes': ('a', 'b')}}, 2, 'a'),
        (
            'mmdet',
            {'type': 'RepeatDataset', 'dataset': {'type': 'CocoDataset'}, 'times': 2},
            80,
            'person',
        ),
    ],
)
def test_names_of_a_config(scope, dataset, number, first):
    names = config_meta(config(scope, dataset))['classes']
    assert (len(names), names[0]) == (number, first)


def test_names_of_a_checkpoint():
    meta = {'classes': ('a',)}
    assert checkpoint_meta({'state_dict': {}, 'meta': {'dataset_meta': meta}}) == meta
    for checkpoint in ({}, {'meta': None}, {'meta': {}}, {'meta': {'dataset_meta': None}}):
        assert checkpoint_meta(checkpoint) == {}


def model(count):
    detector = nn.Module()
    detector.bbox_head = nn.Module()
    detector.bbox_head.num_classes = count
    return detector


def test_one_name_for_each_class():
    assert count_classes(model(3)) == 3
    assert count_classes(nn.Linear(1, 1)) is None
    require_same_count('abc', model(3), 'x.pth')
    require_same_count('abc', nn.Linear(1, 1), 'x.pth')
    require_same_count(None, model(3), 'x.pth')
    with pytest.raises(InputError, match=r'x\.pth names 4 classes \(a, b, c, d\).* num_classes=3'):
        require_same_count('abcd', model(3), 'x.pth')


@pytest.mark.parametrize(
    ('given', 'wanted', 'at'), [('abc', 'abd', 2), ('ab', 'abc', 2), ('ba', 'ab', 0)]
)
def test_the_same_names_in_the_same_order(given, wanted, at):
    require_same_names(tuple(given), list(given), 'x.pth')
    with pytest.raises(InputError, match=rf'x\.pth was trained on .* from class {at} on'):
        require_same_names(given, wanted, 'x.pth')
