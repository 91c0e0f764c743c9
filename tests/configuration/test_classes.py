"""The classes of a config: their number in its model, held against the names of its data."""

import pytest
from mmengine.config import Config

from vitbackbones.configuration.classes import (
    check_classes,
    class_counts,
    class_names,
    set_class_count,
)
from vitbackbones.errors import InputError


def with_heads(weights):
    return Config(
        {
            'model': {
                'backbone': {'num_classes': 1000},
                'rpn_head': {'num_classes': 1},
                'roi_head': {'bbox_head': [{'num_classes': 80}, {'num_classes': 80}]},
                'panoptic_head': {
                    'num_things_classes': 80,
                    'num_stuff_classes': 53,
                    'loss_cls': {'class_weight': [1.0] * 133 + [0.1]},
                },
                'decode_head': {'num_classes': 3, 'loss': {'class_weight': weights}},
            }
        }
    )


def test_heads_count_the_classes_and_backbones_and_proposals_do_not():
    config = with_heads(1.0)
    set_class_count(config, 2)
    model = config.model
    assert dict(class_counts(config)) == {
        'model.roi_head.bbox_head.0.num_classes': 2,
        'model.roi_head.bbox_head.1.num_classes': 2,
        'model.decode_head.num_classes': 2,
        'model.panoptic_head.num_things_classes + num_stuff_classes': 2,
    }
    assert (model.backbone.num_classes, model.rpn_head.num_classes) == (1000, 1)
    panoptic = model.panoptic_head
    assert (panoptic.num_things_classes, panoptic.num_stuff_classes) == (2, 0)
    assert panoptic.loss_cls.class_weight == [1.0, 1.0, 0.1]
    assert model.decode_head.loss.class_weight == 1.0


@pytest.mark.parametrize(
    ('weights', 'kept'),
    [
        ([2.0, 2.0, 2.0], [2.0, 2.0]),  # of the three classes that the config had
        ([1.0, 2.0], [1.0, 2.0]),  # of the two of the data
        ([3.0, 3.0], [3.0, 3.0]),
        ([1.0, 2.0, 1.0], [1.0, 2.0, 1.0]),  # which a later check refuses
        ([1.0, 1.0, 1.0, 0.1], [1.0, 1.0, 0.1]),
    ],
)
def test_weights_of_the_new_classes_are_kept(weights, kept):
    config = with_heads(weights)
    set_class_count(config, 2)
    assert config.model.decode_head.loss.class_weight == kept


def test_equal_weights_for_one_class_more_are_those_of_the_data():
    config = with_heads([2.0] * 4)
    set_class_count(config, 4)
    assert config.model.decode_head.loss.class_weight == [2.0] * 4


THREE = {'type': 'CocoDataset', 'metainfo': {'classes': ('a', 'b', 'c')}}
COCO, FOLDERS = {'type': 'mmdet.CocoDataset'}, {'type': 'mmpretrain.CustomDataset'}
BOXES = {'bbox_head': {'num_classes': 80}}
SEGMENTS = {'panoptic_head': {'num_things_classes': 80, 'num_stuff_classes': 53}}
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
        (BOXES, THREE, 'c.py: model.bbox_head.num_classes is 80, but train_dataloader.dataset.met'),
        (BOXES, THREE, 'has 3 classes (a, b, c). Set model.bbox_head.num_classes=3'),
        ({'bbox_head': {'num_classes': 3}}, COCO, 'dataset.type has 80 classes (person, '),
        (SEGMENTATION, THREE, 'model.auxiliary_head.1.num_classes is 4'),
        ({'head': {'num_classes': 9}}, FOLDERS | {'classes': ['a', 'b']}, 'classes has 2'),
        (BOXES, {'type': 'RepeatDataset', 'dataset': THREE}, 'dataset.dataset.metainfo.classes'),
        (SEGMENTS, THREE, 'model.panoptic_head.num_things_classes + num_stuff_classes is 133, but'),
    ],
)
def test_both_keys_are_named(model, dataset, message):
    with pytest.raises(InputError) as error:
        check_classes(make_config(model, dataset), ('train', 'val'))
    assert message in str(error.value)


def test_the_preprocessor_of_a_classifier():
    config = make_config({}, THREE, data_preprocessor={'num_classes': 2})
    with pytest.raises(InputError, match=r'data_preprocessor\.num_classes is 2'):
        check_classes(config, ('train',))


@pytest.mark.parametrize(
    ('model', 'dataset'),
    [
        ({'bbox_head': {'num_classes': 3}, 'backbone': {'num_classes': 1000}}, THREE),
        ({'rpn_head': {'num_classes': 1}, 'roi_head': {'bbox_head': {'num_classes': 3}}}, THREE),
        ({'head': {'num_classes': 7}}, FOLDERS),  # which name them
        ({'head': {'num_classes': 7}}, FOLDERS | {'classes': 'a.txt'}),
    ],
)
def test_what_need_not_agree(model, dataset):
    check_classes(make_config(model, dataset), ('train', 'val'))


@pytest.mark.parametrize(
    ('dataset', 'key', 'names'),
    [
        ({'type': 'CocoDataset', 'metainfo': {'classes': ('a', 'b')}}, 'metainfo.classes', 'ab'),
        ({'type': 'CustomDataset', 'classes': ['a']}, 'classes', 'a'),
        ({'type': 'CustomDataset', 'classes': 'names.txt'}, 'classes', None),
        ({'type': 'x', 'metainfo': {'classes': ()}, 'classes': ['b']}, 'classes', 'b'),
    ],
)
def test_where_the_names_of_classes_stand(dataset, key, names):
    found, classes = class_names(Config({}), dataset)
    assert (found, classes and ''.join(classes)) == (key, names)


@pytest.mark.parametrize(('scope', 'count'), [('mmdet', 80), ('mmseg', None)])
def test_the_type_of_a_data_set_brings_names_along(scope, count):
    kind = 'CocoDataset' if scope == 'mmdet' else 'BaseSegDataset'
    key, names = class_names(Config({'default_scope': scope}), {'type': kind})
    assert key == 'type'
    assert (names and len(names)) == count
    assert class_names(Config({}), {'type': 'mmseg.ADE20KDataset'})[1][0] == 'wall'
    assert class_names(Config({}), {'type': dict}) == ('type', None)


def test_the_maps_of_a_cascade_have_classes_of_their_own():
    roi_head = {'bbox_head': {'num_classes': 80}, 'semantic_head': {'num_classes': 183}}
    config = Config({'model': {'roi_head': roi_head}})
    assert [*class_counts(config)] == [('model.roi_head.bbox_head.num_classes', 80)]
    panoptic = {'num_things_classes': 80, 'num_stuff_classes': 53}
    config = Config({'model': {'semantic_head': panoptic}})
    assert [count for _, count in class_counts(config)] == [133]
