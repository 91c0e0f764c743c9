"""Detection with mmdet, on data in COCO's format."""

import copy
from pathlib import Path

from mmengine.config import Config

from ...config.data import datasets, evaluators
from ...config.metainfo import training_classes
from ..task import Deferred, Task
from .agreement import coco_names, queries_suffice, widths_of_detr_agree


def use_shapes(config: Config, root: Path) -> Config:
    """Train and test on the Shapes data set, under the class names of the config's own data."""
    config = copy.deepcopy(config)
    for path, dataset in datasets(config):
        split = 'train' if path.startswith('train') else 'val'
        dataset.update(
            data_root=str(root),
            ann_file=f'annotations/instances_{split}.json',
            data_prefix={'img': f'images/{split}/'},
        )
    for _, metric in evaluators(config):
        if 'ann_file' in metric:
            metric['ann_file'] = str(root / 'annotations' / 'instances_val.json')
    return config


TASK = Task(
    scope='mmdet',
    packer='PackDetInputs',
    measured={'CocoMetric': coco_names},
    rules=(queries_suffice, widths_of_detr_agree),
    unit='usable box',
    needs_contrast=False,  # a box is told apart from the background
    check_dataset=Deferred('datasets.checks.coco:check_dataset'),
    check_evaluators=Deferred('tasks.detection.evaluators:check_evaluators'),
    shapes=lambda config: {'classes': training_classes(config)},
    use_shapes=use_shapes,
    writer=Deferred('inference.writers:BoxWriter'),
    draw=Deferred('drawing.boxes:draw_detections'),
)
