"""Check a data set in COCO format before a run, instead of finding out after a day.

mmdet trusts its annotation file: it picks categories by name and leaves out the rest without a
word, drops boxes it cannot use, and stops at a missing picture or key when it comes to it. Here
one pass over the file finds what would stop or spoil the run: what cannot work raises
``InputError``, what is only suspicious comes back as warnings of one line.

The file is looked at by columns ('id' of all images, 'bbox' of all annotations ...), so that the
860 000 annotations of COCO train2017 take a few seconds more than reading them.
"""

import json
import os
from collections import Counter
from collections.abc import Sequence
from itertools import chain

import numpy as np

from ..errors import InputError
from .files import not_there, some
from .transforms import read_image

ID, NUMBER = (int, str), (int, float)
COLUMNS = {  # what mmdet reads of each entry of each list of the file, and the right types
    'images': {'id': ID, 'file_name': (str,), 'width': NUMBER, 'height': NUMBER},
    'annotations': {'id': ID, 'image_id': ID, 'category_id': ID, 'bbox': (list,), 'area': NUMBER},
    'categories': {'id': ID, 'name': (str,)},
}

# ---------------------------------------------------------------------------- form of the file


def _load(ann_file: str) -> dict:
    try:
        with open(ann_file, encoding='utf-8') as file:
            return json.load(file)
    except FileNotFoundError:
        raise InputError(
            f'annotation file not found: {os.path.abspath(ann_file)}. Put the data set there, or '
            'set data_root and ann_file of the data set in the configuration.'
        ) from None
    except OSError as error:
        raise InputError(f'annotation file {ann_file}: {error.strerror}.') from error
    except json.JSONDecodeError as error:
        where = f'line {error.lineno}, column {error.colno}'
        raise InputError(f'{ann_file}: malformed JSON at {where}: {error.msg}.') from None
    except UnicodeDecodeError as error:
        raise InputError(f'{ann_file}: not a JSON text: {error}.') from None


def _entries(ann_file: str, data: object, part: str) -> list[dict]:
    """The list ``part`` of the file, with one entry or more."""
    entries = data.get(part) if isinstance(data, dict) else None
    if not isinstance(entries, list) or set(map(type, entries)) - {dict}:
        raise InputError(
            f'{ann_file}: {part!r} is missing or not a list of objects. A COCO file for detection '
            "is an object with the lists 'images', 'annotations' and 'categories'."
        )
    if not entries:
        raise InputError(f'{ann_file}: the list {part!r} is empty, there is nothing to learn.')
    return entries


def _column(ann_file: str, part: str, entries: list[dict], key: str, types: tuple) -> list:
    """The values of ``key`` of all entries, each of one of the ``types``."""
    column = [entry.get(key) for entry in entries]
    if set(map(type, column)) <= set(types):
        return column
    at, value = next((i, v) for i, v in enumerate(column) if type(v) not in types)
    fault = f'is {value!r}' if key in entries[at] else 'is missing'
    kinds = ' or '.join(kind.__name__ for kind in types)
    raise InputError(f'{ann_file}: {part}[{at}]: {key!r} {fault}; it must be of type {kinds}.')


def _table(ann_file: str, data: object, part: str) -> dict[str, list]:
    """One list of the file as columns, with unique ids."""
    entries = _entries(ann_file, data, part)
    columns = COLUMNS[part].items()
    table = {key: _column(ann_file, part, entries, key, types) for key, types in columns}
    if len(set(table['id'])) < len(entries):
        twice = [key for key, count in Counter(table['id']).items() if count > 1]
        raise InputError(f'{ann_file}: ids used more than once in {part!r}: {some(twice)}.')
    return table


# ---------------------------------------------------------------------------- references


def _check_references(ann_file: str, annotations: dict, key: str, known: list) -> None:
    unknown = set(annotations[key]) - set(known)
    if unknown:
        pairs = zip(annotations['id'], annotations[key], strict=True)
        ids = [annotation for annotation, value in pairs if value in unknown]
        raise InputError(
            f'{ann_file}: {len(ids)} annotations (ids {some(ids)}) have a {key} that the file '
            f'does not define: {some(unknown)}.'
        )


def _check_categories(ann_file: str, categories: dict, used: set, classes: Sequence[str]) -> None:
    named = list(zip(categories['id'], categories['name'], strict=True))
    outside = [f'{name!r} (id {key})' for key, name in named if key in used and name not in classes]
    if outside:
        names = [name for key, name in named if key in used]
        raise InputError(
            f'{ann_file}: annotations use categories that are not in the classes of the '
            f'configuration: {some(outside, str)}; it has {some(classes)}. Set metainfo.classes '
            f'of every data set to the names in the file ({some(names)}) and num_classes of '
            f'the model to their number, {len(names)}.'
        )
    twice = [name for name, count in Counter(categories['name']).items() if count > 1]
    if set(twice) & set(classes):
        raise InputError(f'{ann_file}: category names used more than once: {some(twice)}.')


def _class_warnings(ann_file: str, names: list[str], classes: Sequence[str]) -> list[str]:
    """mmdet numbers labels in the order of the file, leaving out what the file does not have."""
    warnings = []
    absent = [name for name in classes if name not in names]
    if absent:
        warnings.append(f'{ann_file}: has no category for the classes {some(absent)}')
    labels = [name for name in names if name in classes]
    moved = [(i, name) for i, name in enumerate(labels) if name != classes[i]]
    if moved:
        at, name = moved[0]
        warnings.append(
            f'{ann_file}: its categories are in another order than metainfo.classes, and mmdet '
            f'numbers labels as the file does: label {at} is {name!r} but will be shown as '
            f'{classes[at]!r}; make the orders equal, in the files for training and testing alike'
        )
    return warnings


# ---------------------------------------------------------------------------- pictures


def check_image(path: str) -> tuple[int, int]:
    """Decode one picture and return its (height, width).

    Raises:
        InputError: the file is missing, empty, truncated or not an image.
    """
    return read_image(path).shape[:2]


def _check_files(ann_file: str, folder: str, names: list[str]) -> None:
    """Every picture is there."""
    if not os.path.isdir(folder or '.'):
        raise InputError(
            f'image folder not found: {os.path.abspath(folder)}. Put the images of {ann_file} '
            'there, or set data_root and data_prefix.img of the data set in the configuration.'
        )
    missing = not_there(folder, names)
    if missing:
        raise InputError(
            f'{len(missing)} of the {len(names)} images of {ann_file} are not in '
            f'{os.path.abspath(folder)}: {some(missing)}. Copy them there, or correct '
            'data_prefix.img of the data set in the configuration.'
        )


def _first_image_warnings(ann_file: str, folder: str, images: dict) -> list[str]:
    """One picture is decoded: it tells resized or rotated copies of a data set."""
    name, width, height = (images[key][0] for key in ('file_name', 'width', 'height'))
    found_height, found_width = check_image(os.path.join(folder, name))
    if (found_height, found_width) == (height, width):
        return []
    return [
        f'{ann_file}: gives {name} as {width} x {height} pixels, the file has '
        f'{found_width} x {found_height}; boxes will be in the wrong place'
    ]


# ---------------------------------------------------------------------------- boxes


def _are_boxes(column: list[list]) -> bool:
    types = set(map(type, chain.from_iterable(column)))
    four = set(map(len, column)) == {4} and types <= set(NUMBER)
    return four and bool(np.isfinite(column).all())


def _boxes(ann_file: str, annotations: dict) -> np.ndarray:
    """All boxes (A, 4) as x, y, width, height."""
    column = annotations['bbox']
    if _are_boxes(column):
        return np.array(column, np.float64)
    pairs = zip(annotations['id'], column, strict=True)
    key, box = next((key, box) for key, box in pairs if not _are_boxes([box]))
    raise InputError(
        f'{ann_file}: annotation {key}: bbox is {box!r}; it must be four numbers, '
        '[x, y, width, height] in pixels.'
    )


def _box_faults(ann_file: str, images: dict, annotations: dict) -> dict[str, np.ndarray]:
    """{what is wrong: for which annotations (A,) bool}; the first three are dropped by mmdet."""
    boxes, area = _boxes(ann_file, annotations), np.array(annotations['area'])
    row_of = {key: row for row, key in enumerate(images['id'])}
    rows = [row_of[key] for key in annotations['image_id']]
    limit = np.array([images['width'], images['height']]).T[rows]  # (2, I) -> (A, 2)
    start, side = boxes[:, :2], boxes[:, 2:]
    end = start + side
    flat = (side < 1).any(1)
    outside = ~flat & ~(np.minimum(end, limit) > np.maximum(start, 0)).all(1)
    beyond = ~flat & ~outside & ((start < -1) | (end > limit + 1)).any(1)
    return {
        'boxes that are empty, negative or thinner than a pixel, left out in training': flat,
        'boxes outside of their image, left out in training': outside,
        "annotations with an 'area' of 0 or less, left out in training": ~flat & ~(area > 0),
        'boxes that reach beyond the edge of their image (are they x, y, width, height?)': beyond,
    }


def _box_warnings(ann_file: str, images: dict, annotations: dict) -> list[str]:
    faults = _box_faults(ann_file, images, annotations)
    if np.any(list(faults.values())[:3], axis=0).all():
        raise InputError(
            f'{ann_file}: not one usable box: all {len(annotations["id"])} are empty, thinner '
            'than a pixel or outside of their image. COCO boxes are [x, y, width, height] in '
            'pixels, not fractions of the image.'
        )
    ids = {fault: np.array(annotations['id'])[rows].tolist() for fault, rows in faults.items()}
    return [
        f'{ann_file}: {fault}: {len(bad)} (annotation ids {some(bad)})'
        for fault, bad in ids.items()
        if bad
    ]


# ---------------------------------------------------------------------------- evaluation


def _check_evaluated(ann_file: str, entries: list[dict]) -> list[str]:
    """What only COCO evaluation needs, which comes at the end of an epoch."""
    missing = [entry['id'] for entry in entries if entry.get('iscrowd') not in (0, 1)]
    if missing:
        raise InputError(
            f"{ann_file}: {len(missing)} annotations (ids {some(missing)}) have no 'iscrowd' of "
            '0 or 1, without which COCO evaluation stops. Add "iscrowd": 0 to ordinary objects.'
        )
    if any(entry['id'] == 0 for entry in entries):
        return [f'{ann_file}: COCO evaluation never counts annotation id 0 as found; start at 1']
    return []


# ---------------------------------------------------------------------------- the checks


def check_coco(
    ann_file: str, image_folder: str, classes: Sequence[str], evaluated: bool = False
) -> list[str]:
    """Check an annotation file, its pictures and its agreement with the classes of a run.

    Args:
        ann_file: annotations in COCO's format for detection.
        image_folder: the folder that ``file_name`` of the images is relative to.
        classes: names of the model's classes.
        evaluated: whether COCO evaluation reads the file, which needs more than training.

    Returns:
        Warnings of one line each, naming the file, how many are concerned and the first ids.

    Raises:
        InputError: the run cannot work with this data set.
    """
    data = _load(ann_file)
    images, annotations, categories = (_table(ann_file, data, part) for part in COLUMNS)
    _check_references(ann_file, annotations, 'image_id', images['id'])
    _check_references(ann_file, annotations, 'category_id', categories['id'])
    _check_categories(ann_file, categories, set(annotations['category_id']), classes)
    _check_files(ann_file, image_folder, images['file_name'])
    warnings = _check_evaluated(ann_file, data['annotations']) if evaluated else []
    warnings += _class_warnings(ann_file, categories['name'], classes)
    warnings += _first_image_warnings(ann_file, image_folder, images)
    warnings += _box_warnings(ann_file, images, annotations)
    annotated = set(annotations['image_id'])
    bare = [key for key in images['id'] if key not in annotated]
    if bare:
        warnings.append(f'{ann_file}: images without annotation: {len(bare)} (ids {some(bare)})')
    return warnings


def _is_coco(kind: object) -> bool:
    """Whether a data set class reads its file as mmdet's CocoDataset does."""
    from mmdet.datasets import CocoDataset  # here: heavy, and not needed to load an image

    return (
        isinstance(kind, type)
        and issubclass(kind, CocoDataset)
        and kind.load_data_list is CocoDataset.load_data_list
        and kind.COCOAPI is CocoDataset.COCOAPI
    )


def _settings(dataset) -> tuple[str, str, Sequence[str]]:
    """Annotation file, image folder and classes as mmdet itself understands them."""
    folder, classes = dataset.data_prefix.get('img'), dataset.metainfo['classes']
    if folder is None:
        raise InputError(
            f'the data set of {dataset.ann_file} needs data_prefix=dict(img=...), the folder of '
            'its images relative to data_root.'
        )
    if isinstance(classes, str):
        raise InputError(
            f"metainfo.classes is the text {classes!r}; write a tuple of names: ('name',)."
        )
    return dataset.ann_file, folder, classes


def check_dataset(config: dict) -> list[str]:
    """:func:`check_coco` for the configuration of a data set of mmdet.

    Wrappers (``RepeatDataset``, ``ConcatDataset`` ...) are looked into. Data sets of another
    format and files behind ``backend_args`` (not on a disk) are not checked. A data set with
    ``test_mode`` is taken as evaluated.
    """
    from mmdet.registry import DATASETS

    inside = config.get('datasets') or ([config['dataset']] if 'dataset' in config else [])
    if inside:
        return [warning for part in inside for warning in check_dataset(part)]
    kind = config['type']
    kind = DATASETS.get(kind) if isinstance(kind, str) else kind
    if not _is_coco(kind) or config.get('backend_args'):
        return []
    paths = {key: config[key] for key in ('ann_file', 'data_root', 'data_prefix') if key in config}
    dataset = kind(**paths, metainfo=config.get('metainfo'), lazy_init=True)
    return check_coco(*_settings(dataset), evaluated=config.get('test_mode', False))
