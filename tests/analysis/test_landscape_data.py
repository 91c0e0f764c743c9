"""The images on which a landscape's loss is measured."""

import pytest
import torch
from mmengine.config import Config

from vitbackbones.analysis.landscape_data import load_batches
from vitbackbones.datasets import shapes
from vitbackbones.errors import InputError

from ..training.shapes_configs import dataset
from ..training.toy import toy_config


def detection(root, side):
    """A config that resizes before it loads annotations, as validation does."""
    pipeline = [
        *({'type': 'LoadImageFromFile'}, {'type': 'Resize', 'scale': (side, side)}),
        *({'type': 'LoadAnnotations', 'with_bbox': True}, {'type': 'PackDetInputs'}),
    ]
    data = dataset('val', data_root=f'{root}/', test_mode=True, pipeline=pipeline)
    loader = {'batch_size': 2, 'num_workers': 2, 'persistent_workers': True, 'dataset': data}
    loader['sampler'] = {'type': 'DefaultSampler', 'shuffle': True}
    return Config({'default_scope': 'mmdet', 'val_dataloader': loader})


def test_boxes_follow_the_resized_image(tmp_path):
    shapes.write(tmp_path, train=1, val=3, size=64)
    batches = {side: load_batches(detection(tmp_path, side), samples=100) for side in (64, 128)}
    assert batches[128][0]['inputs'][0].shape == (3, 128, 128)
    boxes = {
        side: [each.gt_instances.bboxes.tensor for part in parts for each in part['data_samples']]
        for side, parts in batches.items()
    }
    assert len(boxes[64]) == 3
    torch.testing.assert_close(boxes[128], [2 * each for each in boxes[64]])


def test_images_are_spread_over_the_data_and_always_the_same(tmp_path):
    batches = load_batches(toy_config(tmp_path), samples=3)  # of eight: the 1st, 5th and last
    values = torch.cat([x for batch in batches for x in batch['x']])
    assert values.tolist() == [float(i % 3) for i in (0, 4, 7)]


def test_a_config_without_validation_is_refused(tmp_path):
    with pytest.raises(InputError, match='has no val_dataloader'):
        load_batches(toy_config(tmp_path, val_dataloader=None), samples=3)
