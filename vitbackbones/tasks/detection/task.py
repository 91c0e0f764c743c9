"""Detection with mmdet, on data in COCO's format."""

import copy
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from mmengine.config import Config

from ...configuration.data import datasets, evaluators, first_dataset
from ...configuration.metainfo import config_meta, training_classes
from ...configuration.settings import type_at
from .. import mask2former
from ..task import Deferred, Task
from .agreement import (
    coco_names,
    masks_are_for_models_of_masks,
    masks_are_loaded,
    panoptic_names,
    queries_suffice,
    widths_of_detr_agree,
)
from .levels import (
    attention_has_the_width_of_the_maps,
    attention_reads_all_levels,
    heads_read_all_levels,
    proposals_have_the_width_of_the_maps,
)

if TYPE_CHECKING:
    from ...datasets.checks.findings import Findings, Look


def is_panoptic(dataset: Mapping) -> bool:
    """Tell whether a data set is of things and stuff, in COCO's panoptic format."""
    return type_at(dataset) == 'CocoPanopticDataset'


def shapes(config: Config) -> dict:
    """Draw the classes that a config trains on; of panoptic data, shapes are the things alone."""
    if not is_panoptic(first_dataset(config, 'train')):
        return {'classes': training_classes(config)}
    meta = config_meta(config, 'train')
    return {'classes': meta['thing_classes'], 'stuff': meta['stuff_classes']}


def use_shapes(config: Config, root: Path) -> Config:
    """Train and test on the Shapes data set, under the class names of the config's own data."""
    config = copy.deepcopy(config)
    for path, dataset in datasets(config):
        split = 'train' if path.startswith('train') else 'val'
        name = f'{"panoptic" if is_panoptic(dataset) else "instances"}_{split}'
        dataset.update(
            data_root=str(root),
            ann_file=f'annotations/{name}.json',
            data_prefix={'img': f'images/{split}/'},
        )
        if is_panoptic(dataset):
            dataset['data_prefix']['seg'] = f'annotations/{name}/'
    for _, metric in evaluators(config):
        name = 'panoptic_val' if 'seg_prefix' in metric else 'instances_val'
        if 'ann_file' in metric:
            metric['ann_file'] = str(root / 'annotations' / f'{name}.json')
        if 'seg_prefix' in metric:
            metric['seg_prefix'] = str(root / 'annotations' / name)
    return config


def check_dataset(dataset: dict, evaluated: bool) -> 'Findings':
    """Look into a data set of boxes and masks, or of panoptic segments."""
    form = 'panoptic' if is_panoptic(dataset) else 'coco'
    return Deferred(f'datasets.checks.{form}:check_dataset')(dataset, evaluated)


def file_checks(dataset: dict) -> 'dict[str, Callable[[], Look]]':
    """Look at the PNG files of panoptic segments."""
    if not is_panoptic(dataset):
        return {}
    return Deferred('datasets.checks.panoptic:segment_checks')(dataset)


TASK = Task(
    scope='mmdet',
    packer='PackDetInputs',
    measured={'CocoMetric': coco_names, 'CocoPanopticMetric': panoptic_names},
    rules=(
        queries_suffice,
        widths_of_detr_agree,
        masks_are_loaded,
        masks_are_for_models_of_masks,
        *mask2former.RULES,
    ),
    fits=(
        heads_read_all_levels,
        attention_reads_all_levels,
        attention_has_the_width_of_the_maps,
        proposals_have_the_width_of_the_maps,
    ),
    unit='usable box',
    needs_contrast=False,  # a box is told apart from the background
    check_dataset=check_dataset,
    file_checks=file_checks,
    check_evaluators=Deferred('tasks.detection.evaluators:check_evaluators'),
    shapes=shapes,
    use_shapes=use_shapes,
    sized=('data_preprocessor',),
    fits_folder=Deferred('tasks.detection.own_data:fits_folder'),
    use_folder=Deferred('tasks.detection.own_data:use_folder'),
    exportable=Deferred('tasks.detection.export:exportable'),
    browse=Deferred('tasks.detection.browse:draw'),
    writer=Deferred('inference.object_writer:ObjectWriter'),
    draw=Deferred('drawing.boxes:draw_detections'),
    report=Deferred('reporting.detection:DetectionReport'),
)
