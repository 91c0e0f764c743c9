"""Configs of all kinds of masks run on Shapes, under the classes of their own data."""

from pathlib import Path

import pytest
from mmengine.config import Config
from mmengine.registry import DATASETS, DefaultScope

from vitbackbones.configuration.data_paths import datasets
from vitbackbones.data.shapes.writing import write
from vitbackbones.errors import InputError
from vitbackbones.tasks.detection.task import Detection


def on_shapes(root, kind, prefix, metrics, **metainfo):
    """Return a changed config, and the first sample of each of its data sets."""
    dataset = {'type': kind, 'data_root': 'data/own', 'ann_file': 'own.json', 'pipeline': []}
    dataset |= {'data_prefix': prefix, 'metainfo': metainfo}
    loaders = {f'{split}_dataloader': {'dataset': dataset} for split in ('train', 'val', 'test')}
    given = Config({'default_scope': 'mmdet', **loaders, 'val_evaluator': metrics})
    write(root, train=1, val=1, size=48, **Detection().shapes(given))
    changed = Detection().use_shapes(given, root)
    with DefaultScope.overwrite_default_scope('mmdet'):
        return changed, [DATASETS.build(dataset)[0] for _, dataset in datasets(changed)]


BOXES = {'type': 'CocoMetric', 'ann_file': 'own.json', 'metric': ['bbox', 'segm']}


def test_instance_masks(tmp_path):
    changed, samples = on_shapes(
        tmp_path / 'shapes', 'CocoDataset', {'img': ''}, BOXES, classes=('cell', 'nucleus')
    )
    assert all(each['mask'] for sample in samples for each in sample['instances'])
    assert changed.val_evaluator.ann_file.endswith('annotations/instances_val.json')


def test_maps_of_regions_beside_instances(tmp_path):
    prefix = {'img': 'train2017/', 'seg': 'stuffthingmaps/train2017/'}  # as for HTC
    _, samples = on_shapes(tmp_path / 'shapes', 'CocoDataset', prefix, BOXES, classes=('cell',))
    assert all(Path(sample['seg_map_path']).is_file() for sample in samples)


def test_things_and_stuff(tmp_path):
    things, stuff = ('cell', 'nucleus'), ('tissue', 'glass')
    meta = {'classes': things + stuff, 'thing_classes': things, 'stuff_classes': stuff}
    segments = {'type': 'CocoPanopticMetric', 'ann_file': 'own.json', 'seg_prefix': 'own/'}
    prefix, metrics = {'img': '', 'seg': 'own/'}, [segments, BOXES]
    changed, samples = on_shapes(
        tmp_path / 'shapes', 'CocoPanopticDataset', prefix, metrics, **meta
    )
    assert [sample['segments_info'][-1]['category'] for sample in samples] == [2, 2, 2]
    panoptic, boxes = changed.val_evaluator
    assert samples[1]['seg_map_path'] == f'{panoptic.seg_prefix}/000000.png'
    assert panoptic.ann_file == f'{panoptic.seg_prefix}.json'
    assert boxes.ann_file.endswith('annotations/instances_val.json')


def test_a_dataset_whose_files_name_its_classes_cannot_be_drawn():
    dataset = {'type': 'V3DetDataset', 'pipeline': []}
    given = Config({'default_scope': 'mmdet', 'train_dataloader': {'dataset': dataset}})
    with pytest.raises(InputError, match=r'only the files of .* Set .*metainfo\.classes'):
        Detection().shapes(given)
