"""Check a dataset in COCO format before a run, instead of finding out after a day.

mmdet uses the annotation file as it is. It selects categories by name and silently drops the rest,
drops boxes that it cannot use, and stops at a missing image or key when it reaches it. Here one
pass over the file finds what would stop or spoil the run. What cannot work raises ``InputError``;
what is only suspicious comes back as warnings of one line.

For a sample of the images, the sizes in the headers are compared with those in the file. A header
takes a tenth of a millisecond, so all of COCO takes seconds on a local disk and minutes on a
network disk, at every start of a run. ``check`` decodes all images and compares all sizes.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import compress

import numpy as np

from ...errors import InputError
from ...utils.messages import cut, plural, some
from ..loading.image_file import read_header, read_image, size_of
from .coco_file import Table, check_references, read_coco, require_counted
from .findings import (
    BLOCK,
    TURNING,
    Findings,
    color_type,
    fault_lines,
    joined,
    require_there,
    spread,
)
from .segmentations import check_masks, outlines

SIZES = 1000  # images whose sizes are compared
MOST_CROWDS = 0.05  # of the annotations; of COCO 1 %, but tools mark every RLE as a crowd
CROWDS = 'crowds ("iscrowd": 1) or ignored, neither trained on nor counted'
FLAT = 'boxes that are empty, negative or thinner than a pixel, left out in training'
OUTSIDE = 'boxes outside their image, left out in training'
EMPTY = "annotations with an 'area' of 0 or less, left out in training"
BEYOND = 'boxes that extend beyond the edge of their image (are they x, y, width, height?)'

# ---------------------------------------------------------------------------- the check


def check_dataset(config: dict, evaluated: bool = False) -> Findings:
    """Check the annotation file, the images and the classes of a dataset of mmdet.

    Datasets of another format and files behind ``backend_args`` (not on a disk) are not checked.

    Args:
        config: its settings; one with ``test_mode`` is taken as evaluated.
        evaluated: whether COCO evaluation reads the file, which needs more than training.

    Raises:
        InputError: the run cannot work with this dataset.
    """
    from mmdet.datasets import CocoDataset  # here: heavy, and not needed to load an image

    kind = _kind(config)
    reads = [getattr(kind, name, None) for name in ('load_data_list', 'COCOAPI')]
    if reads != [CocoDataset.load_data_list, CocoDataset.COCOAPI] or config.get('backend_args'):
        return Findings()
    evaluated = evaluated or config.get('test_mode', False)
    dataset = unloaded(config)
    ann_file = dataset.ann_file
    with_masks = any(step.get('with_mask', False) for step in config.get('pipeline', ()))
    tables = images, annotations, _ = read_coco(ann_file, *[outlines] * with_masks)
    found = check_tables(config, dataset, tables)
    if evaluated:
        found.warnings += _check_evaluated(ann_file, annotations)
    if with_masks:
        _, kept = _check_boxes(ann_file, images, annotations)
        read = kept & ~np.array(annotations['ignore'], bool) | evaluated
        found.warnings += check_masks(ann_file, images, annotations, read, evaluated)
    return found


def check_tables(config: dict, dataset, tables: tuple[Table, Table, Table]) -> Findings:
    """Check the images, annotations (or segments) and categories that were read for a dataset.

    Raises:
        InputError: the run cannot work with this dataset.
    """
    images, annotations, categories = tables
    ann_file, classes = dataset.ann_file, dataset.metainfo['classes']
    folder = dataset.data_prefix.get('img')
    if folder is None:
        raise InputError(
            f'the dataset of {ann_file} requires data_prefix=dict(img=...), the folder of its '
            'images relative to data_root.'
        )
    if isinstance(classes, str):
        raise InputError(
            f"metainfo.classes is the text {classes!r}; write a tuple of names: ('name',)."
        )
    check_references(ann_file, annotations, 'image_id', images['id'])
    check_references(ann_file, annotations, 'category_id', categories['id'])
    warnings = _check_categories(ann_file, categories, set(annotations['category_id']), classes)
    warnings += _check_images(ann_file, folder, images, color_type(config.get('pipeline', ())))
    crowds = [*map(any, zip(annotations['iscrowd'], annotations['ignore'], strict=True))]
    require_counted(ann_file, crowds)
    if sum(crowds) > max(1, MOST_CROWDS * len(crowds)):
        warnings += fault_lines(ann_file, {CROWDS: [*compress(annotations['id'], crowds)]})
    odd, kept = _check_boxes(ann_file, images, annotations)
    warnings += odd
    warnings += _check_listed_once(ann_file, images)
    annotated = set(annotations['image_id'])
    named = zip(images['id'], images['file_name'], strict=True)
    if bare := [name for key, name in named if key not in annotated]:
        warnings.append(
            f'{ann_file}: {plural(len(bare), "image")} without annotations: {some(bare)}. If '
            'objects are visible there, annotate them.'
        )
    keys = zip(annotations['image_id'], annotations['category_id'], strict=True)
    used = [*compress(keys, kept & ~np.array(crowds, bool))]
    names = dict(zip(categories['id'], categories['name'], strict=True))
    counts = Counter(names[key] for _, key in used)
    filter_cfg = {} if config.get('test_mode') else config.get('filter_cfg') or {}
    return Findings(
        warnings,
        samples=_count_left(ann_file, images, annotations, filter_cfg),
        occurs={name: counts[name] for name in classes},
        files=[os.path.join(folder, name) for name in images['file_name']],
        numbers=[*Counter(image for image, _ in used).values()],
    )


# ---------------------------------------------------------------------------- configurations


def _kind(config: dict) -> type | None:
    from mmdet.registry import DATASETS

    kind = config['type']
    return DATASETS.get(kind) if isinstance(kind, str) else kind


def unloaded(config: dict):
    """Build a dataset of mmdet that knows its paths and classes and has read nothing."""
    paths = {key: config[key] for key in ('ann_file', 'data_root', 'data_prefix') if key in config}
    return _kind(config)(**paths, metainfo=config.get('metainfo'), lazy_init=True)


# ---------------------------------------------------------------------------- categories


def _check_categories(
    ann_file: str, categories: Table, used: set, classes: Sequence[str]
) -> list[str]:
    """Require classes of the categories in use; warn where their order is another one.

    mmdet numbers the labels that a file has in the order of the file.
    """
    named = zip(categories['id'], categories['name'], strict=True)
    named = {key: name for key, name in named if key in used}
    if outside := [f'{name!r} (id {key})' for key, name in named.items() if name not in classes]:
        names = named.values()
        raise InputError(
            f'{ann_file}: annotations use categories that are not in the classes of the config: '
            f'{some(outside, str)}; it has {some(classes)}. Set metainfo.classes of every '
            f'dataset to the names in the file ({some(names)}) and num_classes of the model to '
            f'their number, {len(names)}.'
        )
    twice = [name for name, count in Counter(categories['name']).items() if count > 1]
    if set(twice) & set(classes):
        raise InputError(f'{ann_file}: category names used more than once: {some(twice)}.')
    labels = [name for name in categories['name'] if name in classes]
    for label, (name, shown) in enumerate(zip(labels, classes, strict=False)):
        if name != shown:
            return [
                f'{ann_file}: its categories are in a different order than metainfo.classes. '
                f'mmdet numbers labels in the order of the file, so label {label} is {name!r} but '
                f'is shown as {shown!r}. Use the same order in metainfo.classes and in all '
                'annotation files'
            ]
    return []


# ---------------------------------------------------------------------------- images


def image_size_fault(given: Sequence[float], found: Sequence[int]) -> str:
    """Say what is wrong with the (height, width) that annotations give an image, '' if nothing."""
    if tuple(given) == tuple(found):
        return ''
    told, seen = (f'{width} x {height}' for height, width in (given, found))
    turned = tuple(given)[::-1] == tuple(found)
    hint = ' (width and height are exchanged, as by a program that ignores the EXIF orientation)'
    return f'is listed as {told} pixels but has {seen}{hint if turned else ""}'


def _check_images(ann_file: str, folder: str, images: Table, load: str | int) -> Iterator[str]:
    """Require all images, and compare the sizes of evenly spread ones; yield warnings.

    Where a header differs, what is decoded counts.
    """
    names = images['file_name']
    remedy = (
        'Copy them there, or remove them from the annotations. A file_name must not point outside '
        'the folder. If the folder comes from the config, check data_root and data_prefix.img.'
    )
    require_there(folder, names, f'images of {ann_file}', remedy)
    read_image(os.path.join(folder, names[0]), load)  # one that no decoder can read stops at once
    rows = spread(len(names), SIZES)
    faults = []
    for row in rows:
        path = os.path.join(folder, names[row])
        given = images['height'][row], images['width'][row]
        with suppress(Exception):  # a bad file: the run replaces and names it, check lists it
            if size_of(read_header(path), load in TURNING) == given:
                continue
            if fault := image_size_fault(given, read_image(path, load).shape[:2]):
                faults.append(f'{names[row]} {fault}')
    if faults:
        yield (
            f'{ann_file}: width and height of {len(faults)} of {len(rows)} images differ from the '
            f'files: {some(faults, str, most=2)}. If boxes were drawn on images of the listed '
            'size, they are in the wrong place, and boxes outside that size are left out. Correct '
            'the sizes, or use the images that were annotated'
        )


def _check_listed_once(ann_file: str, images: Table) -> Iterator[str]:
    names = Counter(map(os.path.normpath, images['file_name']))
    if twice := [name for name, count in names.items() if count > 1]:
        yield (
            f'{ann_file}: {plural(len(twice), "image")} listed under several ids ({some(twice)}), '
            'so each id lacks the objects of the others. Use one id for each image'
        )


def _count_left(ann_file: str, images: Table, annotations: Table, filter_cfg: dict) -> int:
    """Count the images that mmdet's filter leaves; require one."""
    side = filter_cfg.get('min_size', 0)
    sides = zip(images['id'], images['width'], images['height'], strict=True)
    large = {key for key, width, height in sides if min(width, height) >= side}
    chosen = annotations['image_id'] if filter_cfg.get('filter_empty_gt') else images['id']
    if left := len(large & set(chosen)):
        return left
    raise InputError(
        f'{ann_file}: filter_cfg of the dataset excludes all {len(images["id"])} images: '
        f'{len(large)} have sides of at least min_size={side} pixels. Lower min_size.'
    )


# ---------------------------------------------------------------------------- boxes


def _check_boxes(ann_file: str, images: Table, annotations: Table) -> tuple[list[str], np.ndarray]:
    """Return warnings, and of which annotations (A,) bool mmdet does not drop the box."""
    boxes = np.asarray(annotations['bbox'], float)  # of panoptic segments a list
    area = np.asarray(annotations['area'], float)
    sizes = np.array([images['width'], images['height']]).T  # (2, I) -> (I, 2)
    row_of = {key: row for row, key in enumerate(images['id'])}
    parts = []
    for first in range(0, len(boxes) or 1, BLOCK):
        block = slice(first, first + BLOCK)
        limit = sizes[[row_of[key] for key in annotations['image_id'][block]]]
        parts.append(_box_faults(boxes[block], area[block], limit))
    faults = joined(parts)
    kept = ~(faults[FLAT] | faults[OUTSIDE] | faults[EMPTY])
    if not kept.any():
        raise InputError(
            f'{ann_file}: no usable box: all {len(kept)} are empty, thinner than a pixel or '
            'outside their image, by its width and height in the file. COCO boxes are [x, y, '
            'width, height] in pixels, not fractions of the image.'
        )
    lines = {fault: [*compress(annotations['id'], rows)] for fault, rows in faults.items()}
    return fault_lines(ann_file, lines), kept


def _box_faults(boxes: np.ndarray, area: np.ndarray, limit: np.ndarray) -> dict[str, np.ndarray]:
    """Return which annotations (A,) have a fault, by what it is.

    Args:
        boxes: (A, 4) as x, y, width, height.
        area: (A,).
        limit: (A, 2), width and height of their images.
    """
    start = boxes[:, :2]
    side = boxes[:, 2:]
    end = start + side
    flat = (side < 1).any(1)
    outside = ~flat & ~(np.minimum(end, limit) > np.maximum(start, 0)).all(1)
    return {
        FLAT: flat,
        OUTSIDE: outside,
        EMPTY: ~flat & ~(area > 0),
        BEYOND: ~flat & ~outside & ((start < -1) | (end > limit + 1)).any(1),
    }


# ---------------------------------------------------------------------------- evaluation


def _check_evaluated(ann_file: str, annotations: Table) -> Iterator[str]:
    """Check what only COCO evaluation needs, which comes at the end of an epoch; yield warnings."""
    require_iscrowd(ann_file, annotations)
    ids = annotations['id']
    if texts := [key for key in ids if isinstance(key, str)]:
        raise InputError(
            f'{ann_file}: {len(texts)} annotation ids are not numbers ({some(texts, cut)}), but '
            'COCO evaluation requires numbers. Number the annotations from 1.'
        )
    if 0 in ids:
        yield f'{ann_file}: COCO evaluation never counts annotation id 0 as found. Start at 1'


def require_iscrowd(ann_file: str, annotations: Table) -> None:
    """Raise an ``InputError`` where annotations, or segments, lack what evaluation asks for."""
    pairs = zip(annotations['id'], annotations['iscrowd'], strict=True)
    if missing := [key for key, crowd in pairs if crowd not in (0, 1)]:
        raise InputError(
            f"{ann_file}: {len(missing)} annotations (ids {some(missing)}) have no 'iscrowd' of "
            '0 or 1, without which COCO evaluation stops. Add "iscrowd": 0 to ordinary objects.'
        )
