"""Classification with mmpretrain, on folders of images."""

import copy
from pathlib import Path

from mmengine.config import Config

from ...config.data import datasets
from ...datasets.shapes import KINDS
from ...registry import SCOPE
from ..task import Deferred, Task
from .agreement import accuracy_names, classes_suffice, head_reads_vectors


def shapes(config: Config) -> dict:
    """Put one kind of shape into each class folder; most outputs of a large head get no example."""
    return {'classes': KINDS[: config.model.head.num_classes], 'layout': 'folders'}


def use_shapes(config: Config, root: Path) -> Config:
    """Train and test on class folders of shapes."""
    config = copy.deepcopy(config)
    for path, dataset in datasets(config):
        steps = list(dataset.pipeline)
        if 'LoadImage' not in steps[0].type:  # CIFAR's data sets hold decoded pictures
            steps.insert(0, {'type': f'{SCOPE}.LoadImage'})
        dataset.clear()
        split = 'train' if path.startswith('train') else 'val'
        dataset.update(type='CustomDataset', data_root=str(root), data_prefix=split, pipeline=steps)
    return config


TASK = Task(
    scope='mmpretrain',
    packer='PackInputs',
    measured={'Accuracy': accuracy_names},
    rules=(classes_suffice, head_reads_vectors),
    unit='image',
    check_dataset=lambda dataset, _: Deferred('datasets.checks.folders:check_dataset')(dataset),
    check_datasets=Deferred('datasets.checks.folders:check_same_folders'),
    shapes=shapes,
    use_shapes=use_shapes,
    writer=Deferred('inference.writers:ScoreWriter'),
)
