"""Semantic segmentation with mmseg, on images and index masks."""

import copy
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from mmengine.config import Config

from ...configuration.classes import training_classes
from ...configuration.data_paths import datasets, use_files
from .. import mask2former
from ..task import Task
from . import agreement

if TYPE_CHECKING:
    import numpy as np
    from mmengine.runner import TestLoop
    from mmengine.structures import BaseDataElement
    from PIL.Image import Image
    from torch import nn

    from ...data.checks.findings import Findings, Look
    from ...inference.drawing.sample_sheet import Drawn
    from ...inference.writers import MaskWriter
    from ...results.report.segmentation import SegmentationReport
    from ..own_data import OwnData


class Segmentation(Task):
    """A class for every pixel."""

    scope = 'mmseg'
    packer = 'PackSegInputs'
    measured = {'IoUMetric': agreement.iou_names}
    rules = (*agreement.RULES, *mask2former.RULES)
    fits = agreement.FITS
    unit = 'pixel'
    sized = ('data_preprocessor', 'test_cfg')
    reads_folders = True

    def check_dataset(self, dataset: dict, evaluated: bool) -> 'Findings':
        from ...data.checks.masks import check_dataset

        return check_dataset(dataset, evaluated)

    def file_checks(self, dataset: dict) -> 'dict[str, Callable[[], Look]]':
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

    def fits_folder(self, config: Config, root: Path) -> bool:
        from .own_data import fits_folder

        return fits_folder(config, root)

    def use_folder(
        self, config: Config, root: Path, lists: Path, trained: Mapping | None
    ) -> 'OwnData':
        from .own_data import use_folder

        return use_folder(config, root, lists, trained)

    def browse(
        self, pixels: 'np.ndarray', sample: 'BaseDataElement', meta: Mapping, longest: int
    ) -> 'Drawn':
        from ..browse import draw_mask

        return draw_mask(pixels, sample, meta, longest)

    def writer(self, out: Path, meta: dict, threshold: float, masks: str) -> 'MaskWriter':
        from ...inference.writers import MaskWriter

        return MaskWriter(out, meta, threshold, masks)

    def draw(
        self, model: 'nn.Module', dataset, number: int, threshold: float
    ) -> 'Iterator[tuple[str, Image]]':
        """Draw masks beside the truth; pixels have no least score."""
        from ...inference.drawing.masks import draw_masks

        return draw_masks(model, dataset, number)

    def report(self, loop: 'TestLoop', number: int, threshold: float) -> 'SegmentationReport':
        from ...results.report.segmentation import SegmentationReport

        return SegmentationReport(loop, number, threshold)
