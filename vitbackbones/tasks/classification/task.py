"""Classification with mmpretrain, on folders of images."""

import copy
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from mmengine.config import Config

from ...configuration.data import datasets
from ...datasets.shapes import KINDS
from ...registry import SCOPE, bare_name
from ..task import Deferred, Task
from .agreement import accuracy_names, classes_suffice, head_reads_vectors

if TYPE_CHECKING:
    from ...datasets.checks.findings import Findings


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


def check_dataset(dataset: dict, evaluated: bool) -> 'Findings':
    """Look into shards, or into folders and label files."""
    place = 'shards' if bare_name(dataset.get('type')) == 'ImageNetShards' else 'folders'
    return Deferred(f'datasets.checks.{place}:check_dataset')(dataset)


def check_datasets(datasets: Collection[dict]) -> None:
    """Compare the classes of all splits."""
    Deferred('datasets.checks.folders:check_same_folders')(datasets)
    Deferred('datasets.checks.shards:check_same_classes')(datasets)


def preprocessor(model: Mapping) -> dict:
    """Return settings that mmpretrain completes: ``train_cfg`` of a model says how it mixes."""
    default = {'type': 'ClsDataPreprocessor', 'batch_augments': model.get('train_cfg')}
    return default | dict(model.get('data_preprocessor') or {})


TASK = Task(
    scope='mmpretrain',
    packer='PackInputs',
    measured={'Accuracy': accuracy_names},
    rules=(classes_suffice, head_reads_vectors),
    unit='image',
    check_dataset=check_dataset,
    check_datasets=check_datasets,
    file_checks=Deferred('datasets.checks.shards:shard_checks'),
    shapes=shapes,
    use_shapes=use_shapes,
    exportable=Deferred('tasks.classification.export:exportable'),
    preprocessor=preprocessor,
    browse=Deferred('tasks.classification.browse:draw'),
    writer=Deferred('inference.writers:ScoreWriter'),
    # without the least score: the best classes are drawn whatever they have
    draw=lambda *given: Deferred('drawing.classes:draw_classes')(*given[:-1]),
    report=Deferred('reporting.classification:ClassificationReport'),
)
