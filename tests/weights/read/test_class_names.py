"""Class names of checkpoints and configs, and messages where they differ."""

import pytest
from mmengine.config import Config
from torch import nn

from vitbackbones.configuration.classes import agreed_meta, config_meta
from vitbackbones.errors import InputError


def config(scope, dataset):
    return Config({'default_scope': scope, 'test_dataloader': {'dataset': dataset}})


@pytest.mark.parametrize(
    ('scope', 'dataset', 'number', 'first'),
    [
        ('mmdet', {'type': 'CocoDataset'}, 80, 'person'),
        ('mmseg', {'type': 'ADE20KDataset'}, 150, 'wall'),
        ('mmdet', {'type': 'CocoDataset', 'metainfo': {'classes': ('a', 'b')}}, 2, 'a'),
        ('mmdet', {'type': 'RepeatDataset', 'dataset': {'type': 'CocoDataset'}}, 80, 'person'),
    ],
)
def test_names_of_a_config(scope, dataset, number, first):
    names = config_meta(config(scope, dataset))['classes']
    assert (len(names), names[0]) == (number, first)


def model(count):
    detector = nn.Module()
    detector.bbox_head = nn.Module()
    detector.bbox_head.num_classes = count
    return detector


TWO = {'type': 'CocoDataset', 'metainfo': {'classes': ('a', 'b')}}


def saved(*names):
    return {'meta': {'dataset_meta': {'classes': names}}}


@pytest.mark.parametrize(
    ('dataset', 'checkpoint', 'count', 'classes'),
    [
        (TWO, saved('a', 'b'), 2, ('a', 'b')),
        (TWO, {}, 2, ('a', 'b')),
        # nobody stated the 80 names that come with the class
        ({'type': 'CocoDataset'}, saved('x', 'y'), 2, ('x', 'y')),
        ({'type': 'BaseDetDataset'}, {}, 2, ('0', '1')),
    ],
)
def test_whose_names_are_used(dataset, checkpoint, count, classes):
    own = config('mmdet', dataset)
    assert tuple(agreed_meta(own, checkpoint, model(count), 'x.pth')['classes']) == classes


@pytest.mark.parametrize(
    ('dataset', 'checkpoint', 'count', 'text'),
    [
        (TWO, saved('b', 'a'), 2, 'trained for 2 classes'),
        (TWO, saved('a', 'c'), 2, 'trained for 2 classes'),
        (TWO, saved('a', 'b', 'c'), 3, 'trained for 3 classes'),
        ({'type': 'CocoDataset'}, saved('a', 'b', 'c'), 80, 'names 3 classes'),
        (TWO, {}, 3, 'names 2 classes'),
    ],
)
def test_names_that_do_not_agree(dataset, checkpoint, count, text):
    with pytest.raises(InputError, match=text):
        agreed_meta(config('mmdet', dataset), checkpoint, model(count), 'x.pth')
