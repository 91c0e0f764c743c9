"""Read an annotation file in COCO's format for detection: every value that mmdet reads is there.

The file is looked at by columns ('id' of all images, 'bbox' of all annotations ...), so that the
860 000 annotations of COCO train2017 take a few seconds more than reading them.
"""

import json
import os
from collections import Counter
from itertools import chain

import numpy as np

from ...errors import InputError
from ...utils.files import regular_file
from ...utils.messages import cut, plural, some
from ...utils.rules import is_number

ID, NUMBER = (int, str), (int, float)
COLUMNS = {  # what mmdet reads of each entry of each list of the file, and the right types
    'images': {'id': ID, 'file_name': (str,), 'width': NUMBER, 'height': NUMBER},
    'annotations': {'id': ID, 'image_id': ID, 'category_id': ID, 'bbox': (list,), 'area': NUMBER},
    'categories': {'id': ID, 'name': (str,)},
}
Table = dict[str, list]  # the columns of one list of the file
OPTIONAL = ('iscrowd', 'ignore', 'segmentation')  # of annotations; None where an entry has none


def read_coco(ann_file: str) -> tuple[Table, Table, Table]:
    """Read the images, annotations and categories of a file, each with unique ids.

    Raises:
        InputError: the file is missing or damaged, or an entry has a value that cannot be used.
    """
    data = load_json(ann_file)
    images, annotations, categories = (table(ann_file, data, *each) for each in COLUMNS.items())
    for key in OPTIONAL:
        annotations[key] = [ann.get(key) for ann in data['annotations']]
    check_boxes(ann_file, annotations)
    return images, annotations, categories


def differences(file: str, other: str) -> list[str]:
    """Name the lists (images, annotations, categories) in which two annotation files differ."""
    pairs = zip(COLUMNS, read_coco(file), read_coco(other), strict=True)
    return [part for part, one, two in pairs if one != two]


def load_json(ann_file: str) -> object:
    """Return what a JSON file holds; an ``InputError`` says that it is missing or damaged."""
    try:
        # without the mark that Windows puts first
        with open(ann_file, encoding='utf-8-sig', opener=regular_file) as file:
            return json.load(file)
    except FileNotFoundError:
        raise InputError(
            f'annotation file not found: {os.path.abspath(ann_file)}. Put the dataset there, or '
            'set data_root and ann_file of the dataset in the config.'
        ) from None
    except OSError as error:
        raise InputError(f'annotation file {ann_file}: {error.strerror}.') from error
    except (ValueError, RecursionError) as error:
        raise InputError(f'{ann_file}: malformed JSON: {error}.') from None


def table(
    ann_file: str,
    data: object,
    part: str,
    columns: dict[str, tuple],
    key: str = 'id',
    may_be_empty: bool = False,
) -> Table:
    """Return one list of the file as columns of the types given; those of ``key`` are unique.

    Raises:
        InputError: the list is missing or empty, or an entry has a value that cannot be used.
    """
    entries = data.get(part) if isinstance(data, dict) else None
    if not isinstance(entries, list) or set(map(type, entries)) - {dict}:
        raise InputError(
            f'{ann_file}: {part!r} is missing or not a list of objects. A COCO file for detection '
            "is an object with the lists 'images', 'annotations' and 'categories'."
        )
    if not entries and not may_be_empty:
        raise InputError(
            f'{ann_file}: the list {part!r} is empty. There is nothing to train on or measure.'
        )
    found = {name: column(ann_file, part, entries, name, types) for name, types in columns.items()}
    twice = [each for each, count in Counter(found[key]).items() if count > 1]
    if twice:
        raise InputError(f'{ann_file}: {key}s used more than once in {part!r}: {some(twice)}.')
    return found


def column(ann_file: str, part: str, entries: list[dict], key: str, types: tuple) -> list:
    """Return the values of ``key`` of all entries: each of one of the ``types``, numbers finite."""
    values = [entry.get(key) for entry in entries]
    if _fit(values, types):
        return values
    at, value = next((i, v) for i, v in enumerate(values) if not _fit([v], types))
    fault = f'is {cut(value)}' if key in entries[at] else 'is missing'
    kinds = ' or '.join(kind.__name__ for kind in types)
    more = ' and finite' if types == NUMBER else ''
    raise InputError(
        f'{ann_file}: {part}[{at}]: {key!r} {fault}; it must be of type {kinds}{more}.'
    )


def _fit(values: list, types: tuple) -> bool:
    return set(map(type, values)) <= set(types) and (types != NUMBER or _finite(values))


def _finite(numbers: list) -> bool:
    """Tell whether numbers, or lists of them, are finite."""
    try:
        return bool(np.isfinite(np.array(numbers, np.float64)).all())
    except OverflowError:  # a whole number of more than 308 digits
        return False


def check_references(ann_file: str, annotations: Table, key: str, known: list) -> None:
    """Require that the file defines the ``key`` of each annotation, one of the ids ``known``."""
    unknown = set(annotations[key]) - set(known)
    if not unknown:
        return
    pairs = zip(annotations['id'], annotations[key], strict=True)
    ids = [annotation for annotation, value in pairs if value in unknown]
    near = [{value - 1, value + 1} & {*known} for value in unknown if isinstance(value, int)]
    hint = ''
    if len(unknown) == 1 and near and all(near):
        hint = ' All ids may be shifted by one.'
    elif {*map(str, unknown)} <= {*map(str, known)}:
        hint = ' The file defines them with another type: write a number in both places, not text.'
    raise InputError(
        f'{ann_file}: the file does not define the {key} of {plural(len(ids), "annotation")} (ids '
        f'{some(ids)}): {some(sorted(unknown, key=str))}.{hint}'
    )


def require_counted(ann_file: str, crowds: list) -> None:
    """Refuse a file whose annotations are all crowds, or ignored, given what marks each so."""
    if crowds and all(crowds):
        raise InputError(
            f'{ann_file}: all {len(crowds)} annotations are crowds ("iscrowd": 1) or ignored, '
            'so they are neither trained on nor counted. Set iscrowd to 0 for ordinary objects.'
        )


def check_boxes(ann_file: str, annotations: Table) -> None:
    """Require four finite numbers for each box."""
    if _are_boxes(annotations['bbox']):
        return
    for key, box in zip(annotations['id'], annotations['bbox'], strict=True):
        require_box(f'{ann_file}: annotation {key}', box)


def require_box(where: str, box: object) -> None:
    """Require four finite numbers for one box; ``where`` is its place in a file."""
    if not isinstance(box, list) or len(box) != 4 or not all(map(is_number, box)):
        raise InputError(
            f'{where}: bbox is {cut(box)}; it must be four numbers, [x, y, width, height] in '
            'pixels.'
        )


def _are_boxes(boxes: list[list]) -> bool:
    types = set(map(type, chain.from_iterable(boxes)))
    return set(map(len, boxes)) == {4} and types <= set(NUMBER) and _finite(boxes)
