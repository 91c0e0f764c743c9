"""Datasets of version 2, and the preprocessor that their pipelines make."""

import pytest

from tests.configuration.version_two.test_convert import detector, segmentor
from vitbackbones.configuration.version_two.convert import convert
from vitbackbones.configuration.version_two.data import convert_dataset, evaluator

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


def test_without_normalize_the_colors_keep_their_order():
    old = detector()
    for split in ('train', 'val', 'test'):
        steps = old['data'][split]['pipeline']
        for place in (steps, steps[-1].get('transforms', [])):
            place[:] = [step for step in place if step['type'] != 'Normalize']
    assert convert(old).entries['model']['data_preprocessor']['bgr_to_rgb'] is False


def test_the_metric_reads_the_file_below_the_data_root():
    old = detector()
    old['data']['val'] |= {'data_root': 'data/fruit/', 'ann_file': 'val.json'}
    old['evaluation'] = {'metric': ['bbox'], 'classwise': True, 'save_best': 'bbox_mAP_50'}
    old['data']['test'] = {'type': 'ConcatDataset', 'datasets': [old['data']['val']] * 2}
    made = convert(old)
    metric = made.entries['val_evaluator']
    assert metric['ann_file'] == made.entries['test_evaluator']['ann_file'] == 'data/fruit/val.json'
    assert metric['classwise'] is True
    assert made.entries['default_hooks']['checkpoint']['save_best'] == 'coco/bbox_mAP_50'
    assert made.notes == ['test_evaluator: measures the first of several datasets']


def test_datasets_have_the_words_of_version_three():
    old = detector()
    old['data']['val'] |= {'type': 'VOCDataset', 'img_prefix': 'VOC2007/', 'samples_per_gpu': 4}
    made = convert(old).entries['val_dataloader']
    assert made['dataset']['data_prefix'] == {'sub_data_root': 'VOC2007/'}
    assert made['batch_size'] == 4
    old = segmentor()
    old['data']['train'] |= {'type': 'CustomDataset', 'classes': ['a'], 'palette': [[0, 0, 0]]}
    made = convert(old).entries['train_dataloader']['dataset']
    assert made['type'] == 'BaseSegDataset'
    assert made['metainfo'] == {'classes': ['a'], 'palette': [[0, 0, 0]]}
    lvis = {'type': 'LVISV1Dataset', 'ann_file': 'a.json'}
    assert evaluator(lvis, {'metric': 'bbox'}, 'mmdet')['type'] == 'LVISMetric'


def test_folders_of_mmcls_are_below_a_data_root():
    def made(**paths):
        return convert_dataset({'type': 'ImageNet', **paths}, 'mmpretrain').dataset

    assert made(data_prefix='data/flower/val', ann_file='data/flower/meta/val.txt') == {
        'type': 'ImageNet',
        'data_root': 'data/flower',
        'data_prefix': 'val',
        'ann_file': 'meta/val.txt',
    }
    other = {'data_prefix': 'data/flower/val', 'ann_file': 'lists/val.txt'}
    assert made(**other) == {'type': 'ImageNet', **other}
