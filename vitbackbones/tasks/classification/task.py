"""Classification with mmpretrain, on folders of images."""

import copy
from collections.abc import Iterator, Mapping
from pathlib import Path

from mmengine.config import Config

from ...configuration.data_paths import datasets, evaluators
from ...configuration.settings import as_list, type_at, value_at
from ...data.shapes.writing import KINDS
from ...registry import SCOPE, bare_name
from ..task import Task

# What a head can read of our backbones, by its type: values of ``out_type``.
READABLE = {'LinearClsHead': ('cls_token', 'pooled'), 'DistillationHead': ('cls_dist_tokens',)}


def accuracy_names(metric: Mapping) -> list[str] | None:
    """Return what an ``Accuracy`` measures, None where its settings do not tell."""
    if 'thrs' in metric:
        return None
    prefix = metric.get('prefix') or 'accuracy'
    return [f'{prefix}/top{k}' for k in as_list(metric.get('topk', 1))]


def classes_suffice(config: Mapping) -> Iterator[str]:
    """Check that top-k accuracy asks for no more classes than the head knows."""
    classes = value_at(config.get('model'), 'head.num_classes')
    for path, metric in evaluators(config):
        most = max(as_list(metric.get('topk') or 1))
        if classes and type_at(metric) == 'Accuracy' and most > classes:
            yield f'{path}.topk: is {most}, but model.head.num_classes is only {classes}'


def head_reads_vectors(config: Mapping) -> Iterator[str]:
    """Check that a head gets the tokens or vectors it reads; our backbones give maps by default."""
    model = config.get('model') or {}
    kinds = [str(value_at(model, f'{part}.type')) for part in ('backbone', 'head')]
    readable = READABLE.get(bare_name(kinds[1]))
    if not readable or not kinds[0].startswith('vitbackbones.') or model.get('neck'):
        return
    if model['backbone'].get('out_type') not in readable:
        yield f'model.backbone.out_type: must be {" or ".join(map(repr, readable))} for model.head'


# ------------------------------------------------------------------------ the task


class Classification(Task):
    """A class for every image. Methods are described in :class:`~..task.Task`."""

    scope = 'mmpretrain'
    packer = 'PackInputs'
    measured = {'Accuracy': accuracy_names}
    rules = (classes_suffice, head_reads_vectors)
    unit = 'image'

    def check_dataset(self, dataset, evaluated):
        """Look into folders, label files or shards."""
        from ...data.checks.folders import check_dataset

        return check_dataset(dataset)

    def check_datasets(self, datasets):
        """Compare the classes of all splits."""
        from ...data.checks.folders import check_same_classes

        check_same_classes(datasets)

    def shapes(self, config: Config) -> dict:
        """Put one kind of shape into each class folder; most classes of many get no example.

        A model without classes, as of self-supervised learning, gets all kinds.
        """
        count = value_at(config, 'model.head.num_classes')
        return {'classes': KINDS[:count], 'layout': 'folders'}

    def use_shapes(self, config: Config, root: Path) -> Config:
        """Train and test on class folders of shapes."""
        config = copy.deepcopy(config)
        for path, dataset in datasets(config):
            steps = list(dataset.pipeline)
            if 'LoadImage' not in steps[0].type:  # CIFAR's data sets hold decoded pictures
                steps.insert(0, {'type': f'{SCOPE}.LoadImage'})
            dataset.clear()
            split = 'train' if path.startswith('train') else 'val'
            dataset.update(
                type='CustomDataset', data_root=str(root), data_prefix=split, pipeline=steps
            )
        return config

    def preprocessor(self, model: Mapping) -> dict:
        """Return settings that mmpretrain completes: ``train_cfg`` of a model says how it mixes."""
        default = {'type': 'ClsDataPreprocessor', 'batch_augments': model.get('train_cfg')}
        return default | dict(model.get('data_preprocessor') or {})

    def browse(self, pixels, sample, meta, longest):
        from ..browse import draw_classes

        return draw_classes(pixels, sample, meta, longest)

    def draw(self, model, dataset, number, threshold):
        """Draw the best classes, whatever their scores."""
        from ...drawing.predictions import draw_classes

        return draw_classes(model, dataset, number)

    def report(self, loop, number, threshold):
        from ...reports.classification import ClassificationReport

        return ClassificationReport(loop, number, threshold)
