"""Read an annotation file in COCO's format for detection: every value that mmdet reads is there.

The file is looked at by columns ('id' of all images, 'bbox' of all annotations ...), piece by piece
(:mod:`.json_lists`): its columns alone stay in memory, not the objects of the whole file.
"""

import gc
import json
import os
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain

import numpy as np

from ...errors import InputError
from ...utils.files import regular_file
from ...utils.messages import cut, plural, some
from ...utils.rules import is_number
from .json_lists import read_lists

ID, NUMBER = (int, str), (int, float)
LARGEST_ID = 2**63  # of larger numbers any count may have one hash, which makes tables slow
COLUMNS = {  # what mmdet reads of each entry of each list of the file, and the right types
    'images': {'id': ID, 'file_name': (str,), 'width': NUMBER, 'height': NUMBER},
    'annotations': {'id': ID, 'image_id': ID, 'category_id': ID, 'bbox': (list,), 'area': NUMBER},
    'categories': {'id': ID, 'name': (str,)},
}
ROWS = {'bbox': (-1, 4), 'area': (-1,), 'bounds': (-1, 4)}  # columns in NumPy, and their shapes
Table = dict[str, list | array | np.ndarray]  # the columns of one list of the file
OPTIONAL = ('iscrowd', 'ignore')  # of annotations; None where an entry has none


def read_coco(
    ann_file: str, keep_masks: Callable[[list], Table] = lambda masks: {}
) -> tuple[Table, Table, Table]:
    """Read the images, annotations and categories of a file, each with unique ids.

    Args:
        ann_file: its path.
        keep_masks: returns the columns that come of the masks of some annotations; by default
            nothing is kept of them.

    Returns:
        Three tables of sequences; ``bbox`` is an array (A, 4) and ``area`` (A,), in NumPy.

    Raises:
        InputError: the file is missing or damaged, or an entry has a value that cannot be used.
    """
    try:
        with open(ann_file, encoding='utf-8-sig', opener=regular_file) as file, many_objects():
            return _read_tables(ann_file, read_lists(file), keep_masks)
    except InputError:
        raise
    except (OSError, ValueError, RecursionError):
        data = load_json(ann_file)  # says what is wrong, and where
        lists = data.items() if isinstance(data, dict) else ()
        return _read_tables(ann_file, lists, keep_masks)


def _read_tables(
    ann_file: str, pieces: Iterable[tuple[str, object]], keep_masks: Callable[[list], Table]
) -> tuple[Table, Table, Table]:
    """Join the pieces of the lists of a file, named by their keys, to tables."""
    found: dict[str, Table] = {}
    counts = Counter[str]()  # of entries before a piece
    for part, entries in pieces:
        if part not in COLUMNS:
            continue
        piece = _columns(ann_file, part, entries, COLUMNS[part], counts[part])
        counts[part] += len(entries)
        if part == 'annotations':
            check_boxes(ann_file, piece)
            piece = {name: _packed(name, values) for name, values in piece.items()}
            piece |= {key: [ann.get(key) for ann in entries] for key in OPTIONAL}
            piece |= keep_masks([ann.get('segmentation') for ann in entries])
        whole = found.setdefault(part, {})
        for name, values in piece.items():
            whole[name] = _extended(whole.get(name), values)
    for part in COLUMNS:
        if part not in found:
            raise _no_list(ann_file, part)
        _require_unique(ann_file, part, 'id', found[part]['id'])
    for name in {*ROWS} & {*found['annotations']}:
        found['annotations'][name] = np.asarray(found['annotations'][name]).reshape(ROWS[name])
    images, annotations, categories = map(found.get, COLUMNS)
    return images, annotations, categories


def _packed(name: str, values: list) -> list | np.ndarray:
    """Return a column as an array, a fifth of a list's memory; one with texts as it is."""
    if name in ROWS:
        return np.array(values, float)
    return np.array(values, np.int64) if set(map(type, values)) == {int} else values


def _extended(column: list | array | None, values: list | np.ndarray) -> list | array:
    """Return a column with more values at its end: the same object where its type can be kept."""
    if isinstance(values, np.ndarray) and not isinstance(column, list):
        column = column or array('d' if values.dtype == float else 'q')
        column.frombytes(values.tobytes())
        return column
    column = [] if column is None else [*column] if isinstance(column, array) else column
    column.extend(values if isinstance(values, list) else values.tolist())
    return column


@contextmanager
def many_objects() -> Iterator[None]:
    """Do not look for cycles among millions of new objects, which takes longer than reading."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def differences(file: str, other: str) -> list[str]:
    """Name the lists (images, annotations, categories) in which two annotation files differ."""

    def read_all(each: str) -> tuple[Table, Table, Table]:
        tables = _, annotations, _ = read_coco(each, lambda masks: {'segmentation': masks})
        for name in ('bbox', 'area'):
            annotations[name] = annotations[name].tolist()
        return tables

    pairs = zip(COLUMNS, read_all(file), read_all(other), strict=True)
    return [part for part, one, two in pairs if one != two]


def load_json(ann_file: str) -> object:
    """Return what a JSON file holds; an ``InputError`` says that it is missing or damaged."""
    try:
        # without the mark that Windows puts first
        with open(ann_file, encoding='utf-8-sig', opener=regular_file) as file, many_objects():
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
    found = _columns(ann_file, part, data.get(part) if isinstance(data, dict) else None, columns)
    _require_unique(ann_file, part, key, found[key], may_be_empty)
    return found


def _columns(
    ann_file: str, part: str, entries: object, columns: dict[str, tuple], first: int = 0
) -> Table:
    """Return entries of a list of the file, the ``first`` of which has that place, as columns."""
    if not isinstance(entries, list) or set(map(type, entries)) - {dict}:
        raise _no_list(ann_file, part)
    return {
        name: column(ann_file, part, entries, name, types, first) for name, types in columns.items()
    }


def _no_list(ann_file: str, part: str) -> InputError:
    return InputError(
        f'{ann_file}: {part!r} is missing or not a list of objects. A COCO file for detection '
        "is an object with the lists 'images', 'annotations' and 'categories'."
    )


def _require_unique(
    ann_file: str, part: str, key: str, ids: list, may_be_empty: bool = False
) -> None:
    """Require values of a ``key``, no two of which are the same."""
    if not ids and not may_be_empty:
        raise InputError(
            f'{ann_file}: the list {part!r} is empty. There is nothing to train on or measure.'
        )
    if twice := _repeated(ids):
        raise InputError(
            f'{ann_file}: {key}s used more than once in {part!r}: {some(twice)}. Give each entry '
            'its own.'
        )


def _repeated(ids: list | array) -> list:
    """Return the ids that occur more than once, in the order of the file."""
    if isinstance(ids, array):  # sorting needs less memory than counting
        ordered = np.sort(np.frombuffer(ids, np.int64))
        if (ordered[1:] > ordered[:-1]).all():
            return []
    return [each for each, count in Counter(ids).items() if count > 1]


def column(
    ann_file: str, part: str, entries: list[dict], key: str, types: tuple, first: int = 0
) -> list:
    """Return the values of ``key`` of all entries: each of one of the ``types``, numbers finite."""
    values = [entry.get(key) for entry in entries]
    if _fit(values, types):
        return values
    at, value = next((i, v) for i, v in enumerate(values) if not _fit([v], types))
    fault = f'is {cut(value)}' if key in entries[at] else 'is missing'
    kinds = ' or '.join(kind.__name__ for kind in types)
    more = {NUMBER: ' and finite', ID: ', with at most 63 bits'}.get(types, '')
    if 'segments_info' in entries[at] and key != 'segments_info':
        more += '. This looks like a panoptic file; give the file of instances'
    raise InputError(
        f'{ann_file}: {part}[{first + at}]: {key!r} {fault}; it must be of type {kinds}{more}.'
    )


def _fit(values: list, types: tuple) -> bool:
    if set(map(type, values)) - set(types):
        return False
    if types == ID:
        numbers = [value for value in values if type(value) is int]
        return max(numbers, default=0) < LARGEST_ID and min(numbers, default=0) > -LARGEST_ID
    return types != NUMBER or _finite(values)


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
    one = next(iter(unknown))
    lacking = {'image_id': 'images', 'category_id': 'categories'}[key]
    hint = f' Add them to {lacking!r}, or remove these annotations.'
    if len(unknown) == 1 and isinstance(one, int) and {one - 1, one + 1} & {*known}:
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
    boxes = annotations['bbox']
    types = set(map(type, chain.from_iterable(boxes)))
    if set(map(len, boxes)) <= {4} and types <= set(NUMBER) and _finite(boxes):
        return
    for key, box in zip(annotations['id'], boxes, strict=True):
        require_box(f'{ann_file}: annotation {key}', box)


def require_box(where: str, box: object) -> None:
    """Require four finite numbers for one box; ``where`` is its place in a file."""
    if not isinstance(box, list) or len(box) != 4 or not all(map(is_number, box)):
        raise InputError(
            f'{where}: bbox is {cut(box)}; it must be four numbers, [x, y, width, height] in '
            'pixels.'
        )
