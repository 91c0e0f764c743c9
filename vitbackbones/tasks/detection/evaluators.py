"""COCO evaluation reads an annotation file of its own, which must be that of the dataset.

Where ``val_dataloader.dataset.ann_file`` alone is changed, predictions of one set are compared with
the annotations of another: AP is 0, and nothing says why.
"""

import os
from pathlib import Path

from mmengine.config import Config

from ...configuration import SPLITS
from ...configuration.data_paths import datasets, evaluators
from ...configuration.names import is_remote
from ...configuration.settings import as_list, type_at, value_at
from ...data.checks.coco_file import differences
from ...data.checks.findings import Findings
from ...data.checks.segmentations import require_masks
from ...errors import InputError
from ...utils.messages import plural, some
from .agreement import is_panoptic

COUNTED = 100  # objects of a picture, the best, that bbox_mAP counts
# what says how many a model finds, the first that is there
LIMITS = ('model.test_cfg.max_per_img', 'model.test_cfg.rcnn.max_per_img', 'model.num_queries')


def check_evaluators(config: Config, found: dict[str, Findings]) -> list[str]:
    """Compare COCO metrics with their datasets: the annotation files, and how much is counted.

    Args:
        config: names the datasets and metrics.
        found: what the checks found in the datasets that are used, by their paths in ``config``.

    Returns:
        a warning where pictures have more objects than are found or counted.

    Raises:
        InputError: a file is missing, or has other images, annotations or categories, or no masks
            where masks are measured.
    """
    splits = tuple(split for split in SPLITS if any(path.startswith(split) for path in found))
    for path, metric in evaluators(config, splits):
        file = metric.get('ann_file')
        if type_at(metric) != 'CocoMetric' or not file:
            continue
        if is_remote(file) or metric.get('backend_args'):
            continue
        tested = list(datasets(config, (path.partition('_')[0],)))
        if not os.path.isfile(file):
            known = [(name, _file(each)) for name, each in tested if each.get('ann_file')][:1]
            hint = ''.join(
                f' Set {path}.ann_file={own}, the file of {name}.' for name, own in known
            )
            raise InputError(
                f'{path}.ann_file: no such file: {os.path.abspath(file)}. Unlike the path of a '
                f'dataset, this path is not relative to data_root.{hint}'
            )
        if 'segm' in as_list(metric.get('metric')):
            require_masks(file)
        if len(tested) != 1 or metric.get('format_only'):
            continue
        ((name, dataset),) = tested
        if is_panoptic(dataset) or not found[name].samples:
            continue
        own = _file(dataset)
        differ = [] if os.path.samefile(file, own) else differences(file, str(own))
        if differ:
            raise InputError(
                f'{path}.ann_file is {file}, but {name}.ann_file is {own}. The two differ in '
                f'{some(differ, str)}, so predictions would be compared with wrong annotations. '
                f'Set both keys to the same file, for example {path}.ann_file={own}.'
            )
    return _check_numbers(config, found)


def _check_numbers(config: Config, found: dict[str, Findings]) -> list[str]:
    key = next((each for each in LIMITS if value_at(config, each)), None)
    most = value_at(config, key) if key else -1  # -1 is no limit
    limit = COUNTED if most < 0 else min(most, COUNTED)
    measured = [each for path, each in found.items() if path[:5] != 'train']
    numbers = {tuple(each.files): each.numbers for each in measured}  # val and test may be one
    crowded = [number for each in numbers.values() for number in each if number > limit]
    if not crowded:
        return []
    finds = f'the model predicts at most {most} ({key}), ' if 0 <= most < max(crowded) else ''
    return [
        f'{plural(len(crowded), "image")} for val or test with more than {limit} objects, up to '
        f'{max(crowded)}: {finds}bbox_mAP counts the best {COUNTED} of an image, and '
        'bbox_mAP_50 as many as the last number in val_evaluator.proposal_nums. Raise these '
        'limits, or split the images into tiles'
    ]


def _file(dataset: dict) -> Path:
    return Path(dataset.get('data_root') or '', dataset['ann_file'])
