"""Semantic segmentation with mmseg, on images and index masks."""

import copy
from pathlib import Path

from mmengine.config import Config

from ...configuration.classes import training_classes
from ...configuration.data_paths import datasets, layout_found, use_files
from ..agreement import MASK2FORMER
from ..task import Task
from . import agreement


class Segmentation(Task):
    """A class for every pixel. Methods are described in :class:`~..task.Task`."""

    scope = 'mmseg'
    packer = 'PackSegInputs'
    measured = {'IoUMetric': agreement.iou_names}
    rules = (*agreement.RULES, *MASK2FORMER)
    fits = agreement.FITS
    unit = 'pixel'
    sized = ('data_preprocessor', 'test_cfg')
    reads_folders = True
    file_options = ('pictures', 'masks')

    def check_dataset(self, dataset, evaluated):
        from ...data.checks.masks import check_dataset

        return check_dataset(dataset, evaluated)

    def file_checks(self, dataset):
        """Look at the masks."""
        from ...data.checks.masks import mask_checks

        return mask_checks(dataset)

    def shapes(self, config: Config) -> dict:
        """Draw the config's classes but the first one, which is the ground."""
        return {'classes': training_classes(config)[1:]}

    def use_shapes(self, config: Config, root: Path) -> Config:
        """Train and test on the masks of Shapes, under the config's first class names."""
        classes = training_classes(config)
        config = copy.deepcopy(config)
        for path, dataset in datasets(config):
            split = 'train' if path.startswith('train') else 'val'
            prefix = {'img_path': f'images/{split}', 'seg_map_path': f'annotations/{split}'}
            settings = {
                'type': 'mmseg.BaseSegDataset',
                'data_root': str(root),
                'data_prefix': prefix,
                'metainfo': {'classes': classes},
                'reduce_zero_label': True,
            }
            use_files(dataset, settings)
        return config

    def fits_folder(self, config, root):
        """Tell whether a folder has the files and folders that a config names."""
        return all(layout_found(config, root))

    def use_folder(self, config, root, lists, trained, **meant):
        from .own_data import use_folder

        return use_folder(config, root, lists, trained, **meant)

    def browse(self, pixels, sample, meta, longest):
        from ..browse import draw_mask

        return draw_mask(pixels, sample, meta, longest)

    def draw(self, model, dataset, number, threshold):
        """Draw masks beside the truth; pixels have no least score."""
        from ...drawing.predictions import draw_masks

        return draw_masks(model, dataset, number)

    def report(self, loop, number, threshold):
        from ...reports.segmentation import SegmentationReport

        return SegmentationReport(loop, number, threshold)
