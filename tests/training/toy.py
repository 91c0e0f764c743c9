"""A model of one weight and a config that trains it in milliseconds, for tests of hooks."""

import gc
import itertools
import random

import numpy as np
import torch
from mmengine.config import Config
from mmengine.evaluator import BaseMetric
from mmengine.model import BaseModel
from mmengine.registry import DATASETS, METRICS, MODELS
from torch import nn
from torch.utils.data import Dataset
from torch.utils.data.dataloader import _MultiProcessingDataLoaderIter

from vitbackbones.layers import DropPath
from vitbackbones.openmmlab.applying import apply_patches
from vitbackbones.openmmlab.patches import IN_RUN
from vitbackbones.training.console import QuietRunner

IMAGES = 8
counter = itertools.count()


@MODELS.register_module()
class ToyModel(BaseModel):
    """y = w x; the loss is its distance to 2 x."""

    def __init__(self, width=1):
        super().__init__()
        self.line = nn.Linear(1, width)

    def forward(self, x, mode):
        x = torch.stack(x)  # (N, 1)
        if mode == 'loss':
            return {'loss': (self.line(x) - 2 * x).square().mean()}
        return [{'error': error.mean().item()} for error in self.line(x) - 2 * x]


@DATASETS.register_module()
class ToyData(Dataset):
    metainfo = {'classes': ('one',)}

    def __len__(self):
        return IMAGES

    def __getitem__(self, i):
        return {'x': torch.tensor([float(i % 3)])}


@MODELS.register_module()
class NoisyModel(BaseModel):
    """A small network with dropout and stochastic depth."""

    def __init__(self):
        super().__init__()
        self.line = nn.Linear(1, 8)
        self.noise = nn.Sequential(nn.Dropout(0.3), nn.Linear(8, 8), DropPath(0.3))
        self.out = nn.Linear(8, 1)

    def forward(self, x, mode):
        x = torch.stack(x)  # (N, 1)
        hidden = self.line(x)
        error = self.out(hidden + self.noise(hidden)) - 2 * x
        if mode == 'loss':
            return {'loss': error.square().mean()}
        return [{'error': each.item()} for each in error[:, 0]]


@DATASETS.register_module()
class NoisyData(ToyData):
    """Adds random numbers of all three generators that augmentations use."""

    def __getitem__(self, i):
        noise = random.random() + np.random.rand() + torch.rand(1)
        return {'x': super().__getitem__(i)['x'] + noise}


@METRICS.register_module()
class ToyMetric(BaseMetric):
    default_prefix = 'toy'

    def process(self, data_batch, data_samples):
        self.results.extend(sample['error'] for sample in data_samples)

    def compute_metrics(self, results):
        return {'error': sum(results) / len(results)}


def loader(**changes):
    return {
        'batch_size': 2,
        'num_workers': 0,
        'collate_fn': {'type': 'pseudo_collate'},
        'sampler': {'type': 'DefaultSampler', 'shuffle': False},
        'dataset': {'type': 'ToyData'},
        **changes,
    }


def toy_config(work_dir, **changes):
    """Four iterations an epoch; a warm-up by iteration and a step by epoch."""
    return Config(
        {
            'model': {'type': 'ToyModel'},
            'work_dir': str(work_dir),
            'train_dataloader': loader(),
            'train_cfg': {'by_epoch': True, 'max_epochs': 3, 'val_interval': 1},
            'optim_wrapper': {'type': 'OptimWrapper', 'optimizer': {'type': 'Adam', 'lr': 0.1}},
            'param_scheduler': [
                {'type': 'LinearLR', 'start_factor': 0.1, 'by_epoch': False, 'end': 10},
                {'type': 'MultiStepLR', 'by_epoch': True, 'milestones': [1], 'gamma': 0.5},
            ],
            'val_dataloader': loader(),
            'val_cfg': {},
            'val_evaluator': {'type': 'ToyMetric'},
            'default_hooks': {
                'logger': {'type': 'LoggerHook', 'interval': 1},
                'checkpoint': {'type': 'vitbackbones.CheckpointHook', 'interval': 1},
            },
            'randomness': {'seed': 0},
            **changes,
        }
    )


def by_iteration(length=8, **changes):
    """The changes of :func:`toy_config` that make its loop count iterations."""
    checkpoint = {'type': 'vitbackbones.CheckpointHook', 'interval': 4, 'by_epoch': False}
    return {
        'train_dataloader': loader(sampler={'type': 'InfiniteSampler', 'shuffle': False}),
        'train_cfg': {'by_epoch': False, 'max_iters': length, 'val_interval': 4},
        'param_scheduler': [{'type': 'LinearLR', 'start_factor': 0.1, 'by_epoch': False, 'end': 6}],
        'default_hooks': {'checkpoint': checkpoint},
        **changes,
    }


def run_toy(config, test=False):
    """Train, and return the runner; or test, and return the metrics."""
    apply_patches(IN_RUN)
    # mmengine's loggers are kept by a name that holds the second of their making
    config.experiment_name = f'toy{next(counter)}'
    runner = QuietRunner.from_cfg(config)
    if test:
        return runner.test()
    try:
        runner.train()
    finally:
        if config.train_dataloader.num_workers:
            end_workers()
    return runner


def end_workers():
    """Garbage collection may end a queue before the workers behind it, which then wait for 5 s."""
    for each in gc.get_objects():
        if type(each) is _MultiProcessingDataLoaderIter:
            each._shutdown_workers()
