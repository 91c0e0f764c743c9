"""The card of a model."""

from pathlib import Path

import pytest
import torch
import yaml
from mmengine.config import Config

from vitbackbones.reports.model_card import TrainedRun, write_card


def run(scope='mmdet', metrics=None, preprocessor=None, data_root='/data/pets', **meta):
    """A run of a detector on pets."""
    config = Config(
        {
            'default_scope': scope,
            'model': {'type': 'FasterRCNN', 'backbone': {'type': 'vitbackbones.AugViT'}},
            'train_dataloader': {'dataset': {'type': 'CocoDataset', 'data_root': data_root}},
            'val_dataloader': {'dataset': {'type': 'CocoDataset', 'data_root': '/data/Others'}},
        }
    )
    object.__setattr__(config, '_filename', '/configs/frcnn.py')
    if preprocessor is not None:
        config.model.data_preprocessor = preprocessor
    state = {'a': torch.zeros(100, 20), 'b': torch.zeros(3)}
    meta = {'classes': ['cat', 'do|g']} | meta
    return TrainedRun(config, Path('best_epoch_12.pth'), state, meta, metrics or {})


def card(*args, **kwargs):
    """Write a card, and return what is in front, and the cells of its tables."""
    text = write_card(run(*args, **kwargs), 'model.safetensors', 12345, 'abc', 'mit')
    _, front, rest = text.split('---\n', 2)
    rows = [line.strip('| ').split(' | ') for line in rest.splitlines() if line.startswith('| ')]
    return yaml.safe_load(front), dict(row for row in rows if len(row) == 2), rest


def test_what_stands_in_front():
    front, _, _ = card(metrics={'bbox_mAP': 0.123456})
    assert front == {
        'license': 'mit',
        'library_name': 'vitbackbones',
        'datasets': ['pets'],
        'tags': ['vitbackbones', 'object-detection'],
        'pipeline_tag': 'object-detection',
        'model-index': [
            {
                'name': 'frcnn',
                'results': [
                    {
                        'task': {'type': 'object-detection'},
                        'dataset': {'name': 'Others', 'type': 'others'},
                        'metrics': [{'type': 'bbox_mAP', 'value': 0.123456}],
                    }
                ],
            }
        ],
    }


def test_without_metrics_or_a_task():
    front, _, rest = card(scope='mmseg')
    assert front['pipeline_tag'] == 'image-segmentation'
    assert 'model-index' not in front
    assert 'no metrics' in rest
    other, _, _ = card(scope='mmpose', metrics={'AP': 1.0})
    assert other.keys() == {'license', 'library_name', 'datasets', 'tags'}
    assert other['tags'] == ['vitbackbones']


def test_facts():
    _, rows, rest = card(metrics={'bbox_mAP': 0.123456})
    assert rows['`bbox_mAP`'] == '0.1235'
    assert rows['numbers in all tensors'] == '2,003'
    assert rows['classes'] == 'cat, do&#124;g'
    assert rows['model'] == '`FasterRCNN` on `vitbackbones.AugViT`'
    assert rows['trained on'].startswith('pets, until epoch 12')
    assert rows['file'] == '`model.safetensors`, 12,345 bytes'
    assert rows['SHA-256'] == '`abc`'
    assert '# frcnn' in rest
    assert 'On val of Others' in rest


@pytest.mark.parametrize(
    ('preprocessor', 'order'),
    [
        (None, 'BGR'),
        ({'mean': [1, 2, 3], 'bgr_to_rgb': False}, 'BGR'),
        ({'mean': [1, 2, 3], 'std': [4, 5, 6], 'bgr_to_rgb': True}, 'RGB'),
        ({'to_rgb': True}, 'RGB'),
    ],
)
def test_colors(preprocessor, order):
    _, rows, _ = card(preprocessor=preprocessor)
    assert rows['order of colors'] == order
    given = preprocessor or {}
    assert rows['mean, std of pixels (0 to 255)'] == f'{given.get("mean")}, {given.get("std")}'


def test_data_without_a_folder_has_the_name_of_its_type():
    assert card(data_root=None)[0]['datasets'] == ['CocoDataset']
