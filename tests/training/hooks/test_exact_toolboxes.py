"""Exact resuming with the data pipelines and models of mmdet, mmseg and mmpretrain."""

import cv2
import numpy as np
import pytest
from mmengine.config import Config

from vitbackbones.configuration.checks.added_hooks import add_guards
from vitbackbones.data import shapes

from ...isolation import process_of_its_own
from ..toy import run_toy
from .test_exact_resume import STOPS, Killed, latest_checkpoint, state

pytestmark = pytest.mark.compat
BACKBONE = {
    'type': 'vitbackbones.ViT',
    'arch': {'embed_dims': 16, 'depth': 2, 'num_heads': 2},
    'img_size': 32,
    'drop_path_rate': 0.5,
}


def pictures(folder, count, values, suffix):
    folder.mkdir(parents=True)
    random = np.random.default_rng(0)
    for i in range(count):
        picture = random.integers(0, values, (40, 48, 3) if suffix == '.jpg' else (40, 48))
        cv2.imwrite(str(folder / f'{i}{suffix}'), picture.astype(np.uint8))


def classification(folder):
    for name in ('cat', 'dog'):
        pictures(folder / name, 4, 255, '.jpg')
    pipeline = [
        {'type': 'vitbackbones.LoadImage'},
        {'type': 'RandomResizedCrop', 'scale': 32},
        {'type': 'RandomFlip', 'prob': 0.5, 'direction': 'horizontal'},
        {'type': 'PackInputs'},
    ]
    head = {'type': 'LinearClsHead', 'num_classes': 2, 'in_channels': 16}
    mixup = {'augments': [{'type': 'Mixup', 'alpha': 0.8}]}
    return {
        'default_scope': 'mmpretrain',
        'model': {
            'type': 'ImageClassifier',
            'backbone': {**BACKBONE, 'out_type': 'cls_token'},
            'head': {**head, 'loss': {'type': 'CrossEntropyLoss', 'use_soft': True}},
            'data_preprocessor': {'type': 'ClsDataPreprocessor', 'num_classes': 2},
            'train_cfg': mixup,
        },
        'dataset': {'type': 'CustomDataset', 'data_prefix': str(folder), 'pipeline': pipeline},
    }


def segmentation(folder):
    pictures(folder / 'images', 8, 255, '.jpg')
    pictures(folder / 'maps', 8, 2, '.png')
    pipeline = [
        {'type': 'vitbackbones.LoadImage'},
        {'type': 'LoadAnnotations'},
        {'type': 'RandomResize', 'scale': (48, 40), 'ratio_range': (0.8, 1.5), 'keep_ratio': True},
        {'type': 'RandomCrop', 'crop_size': (32, 32)},
        {'type': 'PhotoMetricDistortion'},
        {'type': 'PackSegInputs'},
    ]
    head = {'type': 'FCNHead', 'num_classes': 2, 'in_channels': 16, 'channels': 8}
    return {
        'default_scope': 'mmseg',
        'by_epoch': False,
        'model': {
            'type': 'EncoderDecoder',
            'backbone': BACKBONE,
            'decode_head': {**head, 'num_convs': 1, 'dropout_ratio': 0.5},
            'data_preprocessor': {'type': 'SegDataPreProcessor', 'size': (32, 32)},
        },
        'dataset': {
            'type': 'BaseSegDataset',
            'data_root': str(folder),
            'metainfo': {'classes': ('road', 'sky')},
            'data_prefix': {'img_path': 'images', 'seg_map_path': 'maps'},
            'pipeline': pipeline,
        },
    }


def detection(folder):
    from tests.commands.conftest import TINY

    root = shapes.write(folder, train=8, val=1, size=64)
    tiny = Config.fromfile(TINY)
    tiny.model.backbone.update(init_cfg=None, drop_path_rate=0.5)
    dataset = tiny.train_dataloader.dataset
    dataset.data_root = str(root)
    dataset.pipeline.insert(3, {'type': 'RandomFlip', 'prob': 0.5})
    return {'default_scope': 'mmdet', 'model': tiny.model, 'dataset': dataset}


def config(parts, work_dir, *hooks, **changes):
    """Eight iterations of one task with a worker, saving every fourth."""
    by_epoch = parts.get('by_epoch', True)
    sampler = {'type': 'DefaultSampler' if by_epoch else 'InfiniteSampler', 'shuffle': True}
    length = {'max_epochs': 2} if by_epoch else {'max_iters': 8}
    saving = {'interval': 1 if by_epoch else 4, 'by_epoch': by_epoch}
    settings = Config(
        {
            'default_scope': parts['default_scope'],
            'model': parts['model'],
            'work_dir': str(work_dir),
            'train_dataloader': {
                'batch_size': 2,
                'num_workers': 1,
                'sampler': sampler,
                'dataset': parts['dataset'],
            },
            'train_cfg': {'by_epoch': by_epoch, **length},
            'optim_wrapper': {'optimizer': {'type': 'AdamW', 'lr': 1e-3}},
            'default_hooks': {'checkpoint': {'type': 'vitbackbones.CheckpointHook', **saving}},
            'custom_hooks': list(hooks),
            'randomness': {'seed': 0},
            **changes,
        }
    )
    return add_guards(settings)


@pytest.mark.parametrize('task', [detection, segmentation, classification])
def test_resumed_equals_uninterrupted(tmp_path, task):
    parts = task(tmp_path / 'data')
    whole = run_toy(config(parts, tmp_path / 'whole'))
    with process_of_its_own(), pytest.raises(Killed):
        run_toy(config(parts, tmp_path / 'stopped', STOPS['killed']))
    latest = str(latest_checkpoint(tmp_path / 'stopped'))
    resumed = run_toy(config(parts, tmp_path / 'stopped', resume=True, load_from=latest))
    assert state(resumed) == state(whole)
    assert len(set(state(whole)[1])) == 8
