"""Semantic segmentation with mmseg, on images and index masks."""

import copy
from pathlib import Path

from mmengine.config import Config

from ...configuration.data import datasets, use_files
from ...configuration.metainfo import training_classes
from .. import mask2former
from ..task import Deferred, Task
from .agreement import iou_names, pooled_maps_are_normalized, windows_cover
from .levels import decode_head_reads_all_levels, mla_reads_no_more_maps


def use_shapes(config: Config, root: Path) -> Config:
    """Train and test on the masks of Shapes, with the config's first classes in place of theirs."""
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


TASK = Task(
    scope='mmseg',
    packer='PackSegInputs',
    measured={'IoUMetric': iou_names},
    rules=(windows_cover, pooled_maps_are_normalized, *mask2former.RULES),
    fits=(decode_head_reads_all_levels, mla_reads_no_more_maps),
    unit='pixel',
    check_dataset=Deferred('datasets.checks.masks:check_dataset'),
    file_checks=Deferred('datasets.checks.masks:mask_checks'),
    shapes=lambda config: {'classes': training_classes(config)[1:]},  # the first is the ground
    use_shapes=use_shapes,
    fits_folder=Deferred('tasks.segmentation.own_data:fits_folder'),
    use_folder=Deferred('tasks.segmentation.own_data:use_folder'),
    sized=('data_preprocessor', 'test_cfg'),
    exportable=Deferred('tasks.segmentation.export:exportable'),
    browse=Deferred('tasks.segmentation.browse:draw'),
    writer=Deferred('inference.writers:MaskWriter'),
    # without the least score, which pixels do not have
    draw=lambda *given: Deferred('drawing.masks:draw_masks')(*given[:-1]),
    report=Deferred('reporting.segmentation:SegmentationReport'),
)
