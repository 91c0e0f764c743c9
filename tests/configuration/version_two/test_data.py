"""Datasets of version 2, and the preprocessor that their pipelines make."""

import pytest

from tests.configuration.version_two.test_convert import detector, segmentor
from vitbackbones.configuration.version_two.convert import convert

pytestmark = pytest.mark.compat


def test_caffe_networks_keep_their_order_of_colors():
    old = detector()
    for step in old['data']['train']['pipeline']:
        if step['type'] == 'Normalize':
            step.update(mean=[103.53, 116.28, 123.675], std=[1.0, 1.0, 1.0], to_rgb=False)
    made = convert(old).entries['model']['data_preprocessor']
    assert made['bgr_to_rgb'] is False
    assert made['mean'] == [103.53, 116.28, 123.675]


def test_lists_of_files_are_datasets_one_after_the_other():
    old = segmentor()
    old['data']['train'] |= {'ann_dir': ['a', 'b'], 'split': ['a.txt', 'b.txt']}
    made = convert(old).entries['train_dataloader']['dataset']
    assert made['type'] == 'ConcatDataset'
    assert [x['ann_file'] for x in made['datasets']] == ['a.txt', 'b.txt']
    assert [x['data_prefix']['seg_map_path'] for x in made['datasets']] == ['a', 'b']
    assert made['datasets'][1]['data_prefix']['img_path'] == 'images/training'


def test_wrapped_datasets_are_converted_inside():
    old = segmentor()
    old['data']['train'] = {'type': 'RepeatDataset', 'times': 3, 'dataset': old['data']['train']}
    made = convert(old).entries['train_dataloader']['dataset']
    assert made['times'] == 3
    assert made['dataset']['pipeline'][-1]['type'] == 'PackSegInputs'
