"""Classification with mmpretrain, on folders of images."""

import copy
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from mmengine.config import Config

from ...configuration.data_paths import datasets
from ...data.shapes.writing import KINDS
from ...registry import SCOPE
from ..task import Task
from . import agreement

if TYPE_CHECKING:
    import numpy as np
    from mmengine.runner import TestLoop
    from mmengine.structures import BaseDataElement
    from PIL.Image import Image
    from torch import nn

    from ...data.checks.findings import Findings
    from ...inference.drawing.sample_sheet import Drawn
    from ...inference.writers import ScoreWriter
    from ...results.report.classification import ClassificationReport


class Classification(Task):
    """A class for every image."""

    scope = 'mmpretrain'
    packer = 'PackInputs'
    measured = {'Accuracy': agreement.accuracy_names}
    rules = agreement.RULES
    unit = 'image'

    def check_dataset(self, dataset: dict, evaluated: bool) -> 'Findings':
        """Look into folders, label files or shards."""
        from ...data.checks.folders import check_dataset

        return check_dataset(dataset)

    def check_datasets(self, datasets: Collection[dict]) -> None:
        """Compare the classes of all splits."""
        from ...data.checks.folders import check_same_classes

        check_same_classes(datasets)

    def shapes(self, config: Config) -> dict:
        """Put one kind of shape into each class folder; most classes of many get no example."""
        return {'classes': KINDS[: config.model.head.num_classes], 'layout': 'folders'}

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

    def browse(
        self, pixels: 'np.ndarray', sample: 'BaseDataElement', meta: Mapping, longest: int
    ) -> 'Drawn':
        from ..browse import draw_classes

        return draw_classes(pixels, sample, meta, longest)

    def writer(self, out: Path, meta: dict, threshold: float, masks: str) -> 'ScoreWriter':
        from ...inference.writers import ScoreWriter

        return ScoreWriter(out, meta, threshold, masks)

    def draw(
        self, model: 'nn.Module', dataset, number: int, threshold: float
    ) -> 'Iterator[tuple[str, Image]]':
        """Draw the best classes, whatever their scores."""
        from ...inference.drawing.classes import draw_classes

        return draw_classes(model, dataset, number)

    def report(self, loop: 'TestLoop', number: int, threshold: float) -> 'ClassificationReport':
        from ...results.report.classification import ClassificationReport

        return ClassificationReport(loop, number, threshold)
