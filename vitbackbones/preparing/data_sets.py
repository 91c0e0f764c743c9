"""Whether the datasets of a run can be used, agree, and are enough.

A class that never occurs in training is never found later, and a loader that drops its last,
incomplete batch may have none at all. OpenMMLab mentions neither.
"""

import math
import os
from collections import Counter

from mmengine.config import Config

from ..configuration.data_paths import datasets, loaders, locate_data
from ..configuration.settings import value_at
from ..data.checks.findings import Findings
from ..errors import InputError
from ..tasks import find_task
from ..utils.messages import command_line, plural, show_warnings, some
from ..utils.processes import leads_machine
from .images import shared_files


def find_data(config: Config, data_root: str | None, splits: tuple[str, ...]) -> Config:
    """Return a config with the places of its data, after a look into the files.

    Raises:
        InputError: as :func:`check_data`, or the data are not there.
    """
    config = locate_data(config, data_root, splits)
    show_warnings([*check_data(config, splits), *shared_files(config)])
    return config


def check_data(config: Config, splits: tuple[str, ...]) -> list[str]:
    """Look into the annotations of ``splits`` and return what deserves a warning.

    The first process of a machine does; the files are large.

    Raises:
        InputError: a dataset cannot be used, or datasets, evaluators and loaders do not fit
            each other.
    """
    task = find_task(config)
    if task is None or not leads_machine():
        return []
    used = dict(datasets(config, splits))
    try:
        task.check_datasets(used.values())
        found = {
            path: task.check_dataset(dataset, not path.startswith('train'))
            for path, dataset in used.items()
        }
        limits = task.check_evaluators(config, found)
        check_labels(config, found)
        check_batches(config, found, splits)
        warnings = [warning for findings in found.values() for warning in findings.warnings]
        warnings += limits + check_apart(found) + check_classes_occur(config, found)
    except InputError as error:
        error.args = (_with_sources(str(error), config),)  # of the same class: some are caught
        raise
    return [_with_sources(warning, config) for warning in dict.fromkeys(warnings)]


def _with_sources(text: str, config: Config) -> str:
    """Name the file of the user beside one that was made from it (``own_files``)."""
    for made, source in config.get('own_files', {}).items():
        text = text.replace(made, f'{made} (made from {source})')
    return text


def check_apart(found: dict[str, Findings]) -> list[str]:
    """Return a warning for each dataset that is measured on pictures that are trained on.

    Pictures are compared by their place behind all links.
    """
    trained = [file for path, each in found.items() if path[:5] == 'train' for file in each.files]
    measured: dict[tuple, str] = {}  # val and test may be one
    for path, each in found.items():
        if path[:5] != 'train':
            measured.setdefault(tuple(each.files), path)
    warnings = []
    for files, path in measured.items():
        names = {*map(os.path.basename, trained)} & {*map(os.path.basename, files)}
        known = {os.path.realpath(file) for file in trained if os.path.basename(file) in names}
        alike = [file for file in files if os.path.basename(file) in names]
        shared = [os.path.basename(f) for f in alike if os.path.realpath(f) in known]
        if shared:
            warnings.append(
                f'{path}: {len(shared)} of its {plural(len(files), "image")} ({some(shared)}) '
                'are also in train_dataloader.dataset, so its metrics do not show how the model '
                'does on new images'
            )
    return warnings


def check_labels(config: Config, found: dict[str, Findings]) -> None:
    """Compare the number of classes of datasets with that of a classifier's head.

    Names of class folders and shards are not in the config, where ``check_classes`` looks.

    Raises:
        InputError: there are more classes than the head has.
    """
    most = value_at(config, 'model.head.num_classes')
    for path, findings in found.items():
        count = len(findings.occurs)
        if most and count > most:
            raise InputError(
                f'{path}: has {count} classes, but model.head.num_classes is {most}. Set '
                f'model.head.num_classes={count}, or use another dataset.'
            )


def check_classes_occur(config: Config, found: dict[str, Findings]) -> list[str]:
    """Return a warning of classes that the training data, all of them together, do not have.

    ``found`` is what the check of each dataset found, by its path in ``config``.

    Raises:
        InputError: all pixels or images are of one class, so that there is nothing to tell apart.
    """
    training = [found[path] for path, _ in datasets(config, ('train',)) if path in found]
    if not training or not all(each.occurs for each in training):  # a format that is not looked at
        return []
    counts = Counter()
    for each in training:
        counts.update(each.occurs)
    missing = [name for name, count in counts.items() if not count]
    if not missing:
        return []
    task = find_task(config)
    part = ', '.join(each.sampled for each in training if each.sampled)
    if len(missing) == len(counts) - 1 and task.needs_contrast and not part:
        (only,) = counts.keys() - set(missing)
        raise InputError(
            f'train_dataloader: every {task.unit} that is not ignored has the class {only!r}, '
            f'and there is no {task.unit} of {some(missing)}, so there is nothing to learn. '
            'Correct the labels, or metainfo.classes of the datasets.'
        )
    where = f' in {part} ({command_line("check")} reads all)' if part else ''
    return [
        f'train_dataloader: no {task.unit} of the classes {some(missing)}{where}; the model '
        'cannot learn them'
    ]


def check_batches(config: Config, found: dict[str, Findings], splits: tuple[str, ...]) -> None:
    """Compare the batches of loaders that drop an incomplete one with the number of images.

    Raises:
        InputError: not one batch is full.
    """
    processes = int(os.environ.get('WORLD_SIZE', 1))
    for name, loader in loaders(config, splits):
        endless = 'Infinite' in str((loader.get('sampler') or {}).get('type'))
        if endless or not loader.get('drop_last') or loader.get('batch_sampler'):
            continue
        looked_at = found.get(f'{name}.dataset')  # not of a wrapper, which may repeat its data
        images = looked_at and looked_at.samples
        batch = loader.get('batch_size', 1)
        if images is not None and math.ceil(images / processes) < batch:
            shared = f' for {processes} processes' if processes > 1 else ''
            raise InputError(
                f'{name}: batch_size is {batch} and incomplete batches are dropped, but there '
                f'are only {images} images{shared}, so no batch is left. Lower '
                f'{name}.batch_size, or set {name}.drop_last=False.'
            )
