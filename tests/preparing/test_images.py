"""What a model is given, and files that training and validation share."""

import pytest
from mmengine.config import Config

from vitbackbones.preparing.images import image_rules, shared_files


@pytest.mark.parametrize(
    ('mean', 'std', 'said'),
    [
        ([0.5] * 3, [0.5] * 3, 'from 0 to 255 here'),
        ([0.485, 0.456, 0.406], [58.4, 57.1, 57.4], 'from 0 to 255 here'),
        ([123.7] * 3, [0.229] * 3, 'from 0 to 255 here'),
        ([1.0] * 4, [2.0] * 4, 'has 4 values, but images have 3 channels'),
        ([0.0] * 3, [1.0] * 3, ''),  # left as they are
        ([0.0] * 3, [255.0] * 3, ''),
        ([123.7, 116.3, 103.5], [58.4, 57.1, 57.4], ''),
        ([127.5], [127.5], ''),
        ([1.1] * 3, [1.0] * 3, ''),
        ([1.0] * 3, [1.0] * 3, 'from 0 to 255 here'),
        ([0.0] * 3, [0.9] * 3, 'from 0 to 255 here'),
        ([1.0] * 3, [2.0], 'has 3 values, but std has 1'),
        ([], [], ''),
    ],
)
def test_mean_and_deviation_are_of_the_scale_of_pixels(mean, std, said):
    model = {'data_preprocessor': {'mean': mean, 'std': std}}
    model['backbone'] = {'type': 'vitbackbones.ViT'}
    found = ' '.join(image_rules({'model': model}))
    assert said in found
    assert bool(said) == bool(found)


def loader(**dataset):
    return {'dataset': {'data_root': 'data', **dataset}}


@pytest.mark.parametrize(
    ('train', 'val', 'count'),
    [
        ({'ann_file': 'a.json'}, {'ann_file': 'a.json'}, 1),
        ({'ann_file': 'a.json'}, {'ann_file': 'b.json'}, 0),
        ({'data_prefix': 'train'}, {'data_prefix': './train'}, 1),
        ({'data_prefix': {'img': 'a/'}}, {'data_prefix': {'img': 'a'}}, 1),
        ({}, {}, 0),
    ],
)
def test_files_of_both_splits_are_named(train, val, count):
    config = Config({'train_dataloader': loader(**train), 'val_dataloader': loader(**val)})
    said = shared_files(config)
    assert len(said) == count
    assert all(text.startswith('val_dataloader.dataset reads the same files as') for text in said)


@pytest.mark.parametrize(('color', 'refused'), [('color', True), ('grayscale', True), (4, False)])
def test_bands_of_floating_point_may_have_any_scale(color, refused):
    model = {'data_preprocessor': {'mean': [0.2] * 4, 'std': [0.1] * 4}}
    model['backbone'] = {'type': 'vitbackbones.ViT', 'in_channels': 4}
    steps = [{'type': 'vitbackbones.LoadImage', 'color_type': color}]
    config = {'model': model, 'train_dataloader': loader(pipeline=steps)}
    assert any('from 0 to 255' in text for text in image_rules(config)) == refused


@pytest.mark.parametrize(
    ('scope', 'kind', 'type', 'is_read'),
    [
        ('mmdet', 'pooled', 'vitbackbones.ViT', False),
        ('mmseg', 'cls_token', 'vitbackbones.ViT', False),
        ('mmseg', 'featmap', 'vitbackbones.ViT', True),
        ('mmseg', None, 'vitbackbones.ViT', True),
        ('mmpretrain', 'pooled', 'vitbackbones.ViT', True),
        ('mmdet', 'pooled', 'mmpretrain.ViT', True),
    ],
)
def test_heads_of_dense_tasks_read_maps(scope, kind, type, is_read):
    backbone = {'type': type, 'out_type': kind}
    found = [*image_rules({'default_scope': scope, 'model': {'backbone': backbone}})]
    assert len(found) == (not is_read)
    assert all(text.startswith('model.backbone.out_type') for text in found)


@pytest.mark.parametrize(
    ('split', 'kind', 'keys', 'lacking'),
    [
        ('val', 'PackDetInputs', ('img_id', 'ori_shape', 'img_shape', 'scale_factor'), ''),
        ('val', 'PackDetInputs', ('img_id', 'ori_shape'), 'img_shape, scale_factor'),
        ('val', 'mmseg.PackSegInputs', ('ori_shape',), 'img_shape'),
        ('val', 'PackDetInputs', ('img_id', 'ori_shape', 'img_shape', 'border'), ''),
        ('val', 'PackDetInputs', None, ''),
        ('val', 'PackInputs', (), ''),
        ('train', 'PackDetInputs', (), ''),
    ],
)
def test_facts_of_a_picture_that_are_measured_by(split, kind, keys, lacking):
    steps = [{'type': 'Resize'}, {'type': kind, 'meta_keys': keys}]
    found = [*image_rules({f'{split}_dataloader': loader(type='X', pipeline=steps)})]
    assert len(found) == bool(lacking)
    place = f'{split}_dataloader.dataset.pipeline.1.meta_keys: has no {lacking},'
    assert all(text.startswith(place) for text in found)
