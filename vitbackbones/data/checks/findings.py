"""What the checks of datasets share: what they find, its table, and which files are there."""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError
from ...registry import bare_name
from ...utils.messages import cut, some
from ..own.folder import gone_links

SHOWN = 20  # classes in a table
BLOCK = 2**16  # annotations that are compared at a time, so that memory stays small
TURNING = ('color', 'grayscale')  # color types in which mmcv turns an image as EXIF says


@dataclass
class Findings:
    """What a check found in a dataset that can be used."""

    warnings: list[str] = field(default_factory=list)  # what is only suspicious, one line each
    samples: int | None = None  # how many images a data loader gets, None where it is not known
    # boxes, pixels or images of each class, {} where these are not known
    occurs: dict[str, int] = field(default_factory=dict)
    files: Sequence[str] = ()  # paths of the pictures, () where these are not known
    numbers: Sequence[int] = ()  # of objects in each picture that has some
    sampled: str = ''  # which part of the files ``occurs`` was counted in, '' for all of them


class Look(NamedTuple):
    """What was seen in one file: its fault, '' if it is good, and a mask's pixels of each class."""

    fault: str = ''
    pixels: np.ndarray | None = None


def spread(total: int, most: int) -> list[int]:
    """Return up to ``most`` of the numbers below ``total``, evenly spread.

    >>> spread(9, 3)
    [0, 4, 8]
    """
    return np.linspace(0, total - 1, min(most, total)).round().astype(int).tolist()


def fault_lines(file: str, faults: dict[str, list]) -> list[str]:
    """Return a warning for each fault that annotations have, with the ids of the first ones."""
    return [
        f'{file}: {fault}: {len(ids)} (annotation ids {some(ids)})'
        for fault, ids in faults.items()
        if ids
    ]


def joined(parts: Sequence[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Return where each fault was found (A,), from what was found in one block after the other."""
    return {fault: np.concatenate([part[fault] for part in parts]) for fault in parts[0]}


def color_type(pipeline: Sequence[dict]) -> str | int:
    """Return the color type in which a pipeline of any toolbox loads images."""
    for step in pipeline:
        if bare_name(step['type']) in ('LoadImage', 'LoadImageFromFile'):
            return step.get('color_type', 'color')
    return 'color'


def class_table(
    samples: list[dict], classes: Sequence[str], pixels: Sequence[np.ndarray | None] = ()
) -> str:
    """Return the table of a dataset, '' where nothing tells the classes.

    Args:
        samples: what the dataset lists: of mmdet with boxes, or of mmpretrain with a label.
        classes: their names.
        pixels: of mmseg, the pixels of each class (K,) in each mask; None for a bad mask.
    """
    first = samples[0] if samples else {}
    if looked_at := [counts for counts in pixels if counts is not None]:
        held = np.stack(looked_at)  # (masks, K)
        return _table(classes, {'images': (held > 0).sum(0), 'pixels': held.sum(0)})
    if 'instances' in first:
        images = Counter()  # in how many of them each label is
        boxes = Counter()
        for sample in samples:
            labels = [box['bbox_label'] for box in sample['instances'] if not box['ignore_flag']]
            images.update({*labels})
            boxes.update(labels)
        return _table(classes, {'images': images, 'boxes': boxes})
    if isinstance(first.get('gt_label'), int):
        return _table(classes, {'images': Counter(sample['gt_label'] for sample in samples)})
    return ''


def _table(classes: Sequence[str], columns: dict[str, Any]) -> str:
    """Write a line for each class, the most frequent first; of many classes only both ends.

    ``columns`` are counts by label.
    """
    rows = []
    for label, name in enumerate(classes):
        rows.append([name, *(column[label] for column in columns.values())])
    rows.sort(key=lambda row: -row[-1])
    if len(rows) > SHOWN:
        rows[SHOWN // 2 : -SHOWN // 2] = [['...'] + [''] * len(columns)]
    rows.insert(0, ['class', *columns])
    width = max(len(name) for name, *_ in rows)
    lines = []
    for name, *counts in rows:
        lines.append(f'  {name:<{width}}' + ''.join(f'{count:>12}' for count in counts).rstrip())
    return '\n'.join(lines)


def not_there(folder: str, names: list[str]) -> list[str]:
    """Return those of ``names`` that are not files below ``folder``.

    A name that leads out of the folder is one of them, whatever is there: a list from somewhere
    else must not choose what is read here. Each folder is listed once, as asking for each file is
    slow.
    """
    parts = [os.path.split(name) for name in names]
    found = dict.fromkeys((part for part, _ in parts), frozenset())
    for part in found:
        try:
            if stays_below(folder, part):
                with os.scandir(os.path.join(folder, part) or '.') as entries:
                    found[part] = {entry.name for entry in entries if entry.is_file()}
        except PermissionError:
            raise
        except (OSError, ValueError):  # there is no such folder, or none can have such a name
            continue
    return [os.path.join(part, name) for part, name in parts if name not in found[part]]


def require_there(folder: str, names: list[str], what: str, remedy: str) -> None:
    """Require files below a folder.

    Args:
        folder, names: those of :func:`not_there`.
        what: the files, for the message.
        remedy: what to do, unless links lead to what is gone.
    """
    if missing := not_there(folder, names):
        raise InputError(
            f'{len(missing)} of the {len(names)} {what} are not in {os.path.abspath(folder)}: '
            f'{some(missing, cut)}. {gone_links(Path(folder)) or remedy}'
        )


def stays_below(folder: str | Path, name: str) -> bool:
    """Return whether a path relative to ``folder`` leads to a place below it; links do not count.

    With ``''``, the folder of a config that leaves the place to the names, everything is below.

    >>> stays_below('images', 'a/../b.jpg'), stays_below('images', '../b.jpg')
    (True, False)
    """
    if not folder:
        return True
    root = os.path.abspath(folder)
    place = os.path.abspath(os.path.join(folder, name))
    return os.path.commonpath([root, place]) == root
