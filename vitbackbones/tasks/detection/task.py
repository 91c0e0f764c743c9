"""Detection with mmdet, on data in COCO's format."""

import copy
from pathlib import Path

from mmengine.config import Config

from ...configuration.classes import config_meta, training_classes
from ...configuration.data_paths import datasets, evaluators, first_dataset
from ...errors import InputError
from ..agreement import MASK2FORMER
from ..task import Task
from . import agreement
from .agreement import is_panoptic


class Detection(Task):
    """Boxes, instance masks and panoptic segments. :class:`~..task.Task` describes the methods."""

    scope = 'mmdet'
    packer = 'PackDetInputs'
    measured = {'CocoMetric': agreement.coco_names, 'CocoPanopticMetric': agreement.panoptic_names}
    rules = (*agreement.RULES, *MASK2FORMER)
    fits = agreement.FITS
    unit = 'usable box'
    needs_contrast = False  # a box is told apart from the background
    sized = ('data_preprocessor',)
    reads_folders = True
    file_options = ('annotations',)

    def check_dataset(self, dataset, evaluated):
        """Look into a dataset of boxes and masks, or of panoptic segments."""
        from ...data.checks import coco, panoptic

        form = panoptic if is_panoptic(dataset) else coco
        return form.check_dataset(dataset, evaluated)

    def check_evaluators(self, config, found):
        from .evaluators import check_evaluators

        return check_evaluators(config, found)

    def shapes(self, config: Config) -> dict:
        """Draw the classes that a config trains on; in panoptic data, shapes are things.

        Raises:
            InputError: only the files of the dataset name its classes.
        """
        if not is_panoptic(first_dataset(config, 'train')):
            if classes := training_classes(config):
                return {'classes': classes}
            raise InputError(
                '--smoke: only the files of train_dataloader.dataset name its classes. Set '
                'train_dataloader.dataset.metainfo.classes to a list of names to try the config.'
            )
        meta = config_meta(config, 'train')
        return {'classes': meta['thing_classes'], 'stuff': meta['stuff_classes']}

    def use_shapes(self, config: Config, root: Path) -> Config:
        """Train and test on Shapes, under the class names of the config's own data."""
        config = copy.deepcopy(config)
        for path, dataset in datasets(config):
            split = 'train' if path.startswith('train') else 'val'
            name = f'{"panoptic" if is_panoptic(dataset) else "instances"}_{split}'
            prefixes = {'img': f'images/{split}/'}
            if is_panoptic(dataset):
                prefixes['seg'] = f'annotations/{name}/'
            elif 'seg' in (dataset.get('data_prefix') or {}):  # maps of regions, as for HTC
                prefixes['seg'] = f'annotations/{split}/'
            dataset.update(
                data_root=str(root), ann_file=f'annotations/{name}.json', data_prefix=prefixes
            )
        for _, metric in evaluators(config):
            name = 'panoptic_val' if 'seg_prefix' in metric else 'instances_val'
            if 'ann_file' in metric:
                metric['ann_file'] = str(root / 'annotations' / f'{name}.json')
            if 'seg_prefix' in metric:
                metric['seg_prefix'] = str(root / 'annotations' / name)
        return config

    def fits_folder(self, config, root):
        from .own_data import fits_folder

        return fits_folder(config, root)

    def use_folder(self, config, root, lists, trained, **meant):
        from .own_data import use_folder

        return use_folder(config, root, lists, trained, **meant)

    def browse(self, pixels, sample, meta, longest):
        from ..browse import draw_instances

        return draw_instances(pixels, sample, meta, longest)

    def draw(self, model, dataset, number, threshold):
        from ...drawing.predictions import draw_detections

        return draw_detections(model, dataset, number, threshold)

    def report(self, loop, number, threshold):
        from ...reports.detection import DetectionReport

        return DetectionReport(loop, number, threshold)
