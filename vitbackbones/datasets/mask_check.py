"""Check a data set of images and index masks before a run, as ``coco_check`` does for boxes.

The headers of all files are read (kind, size, EXIF orientation: a tenth of a millisecond each),
and the values of a sample of the masks. ``LoadMask`` looks at every value again when it loads
the mask. What cannot work raises ``InputError``; what is only suspicious is a warning of one line.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from PIL import Image

from ..errors import InputError
from .files import not_there, some
from .masks import (
    IGNORED,
    BadMask,
    label_table,
    mode_fault,
    read_mask,
    size_fault,
    value_fault,
)

SAMPLE = 200  # masks whose values are looked at
THREADS = 8  # that read files at a time: on network disks it is the waiting that takes long
ORIENTATION = 0x0112  # the EXIF tag; 5 to 8 swap height and width
MOSTLY = 0.5  # of the sampled pixels; more that are ignored deserve a warning


# ---------------------------------------------------------------------------- files


def _check_files(kind: str, folder: str, paths: Sequence[str]) -> None:
    names = [os.path.relpath(path, folder) for path in paths]
    missing = not_there(folder, names)
    if missing:
        raise InputError(
            f'{len(missing)} of the {len(names)} {kind} are not in {os.path.abspath(folder)}: '
            f'{some(missing)}. Put them there, or correct data_prefix, img_suffix and '
            'seg_map_suffix of the data set in the configuration.'
        )


# ---------------------------------------------------------------------------- headers


@dataclass
class Header:
    """What a file says of itself: Pillow's mode, (height, width) stored, and EXIF orientation."""

    mode: str
    stored: tuple[int, int]
    orientation: int

    @property
    def turned(self) -> tuple[int, int]:
        """Height and width after the EXIF orientation was applied."""
        return self.stored[::-1] if self.orientation >= 5 else self.stored


def _header(path: str) -> Header:
    try:
        with Image.open(path) as image:
            # only where there is one: Pillow decodes a whole PNG to look for it
            exif = image.getexif() if 'exif' in image.info else {}
            return Header(image.mode, image.size[::-1], exif.get(ORIENTATION, 1))
    except Exception as error:  # every Pillow plugin has exceptions of its own
        reason = getattr(error, 'strerror', None) or 'damaged or not an image'
        raise BadMask(f'{path}: {reason}. Put a good copy there.') from error


def _header_faults(image: str, mask: str, turns: bool) -> tuple[str, bool]:
    """What is wrong with a pair, and whether it is unknown which way round the mask was drawn."""
    picture, header = _header(image), _header(mask)
    size = picture.turned if turns else picture.stored
    fault = mode_fault(mask, header.mode) or size_fault(mask, header.stored, image, size)
    return fault, turns and picture.orientation > 1 and picture.turned == picture.stored


def _check_headers(images: list[str], masks: list[str], turns: bool) -> list[str]:
    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(_header_faults, images, masks, [turns] * len(images)))
    faults = [fault for fault, _ in found if fault]
    if faults:
        others = f' {len(faults) - 1} more of {len(masks)} masks have a fault of this kind.'
        raise BadMask(faults[0] + (others if len(faults) > 1 else ''))
    turned = [image for image, (_, unknown) in zip(images, found, strict=True) if unknown]
    if not turned:
        return []
    return [
        f'{len(turned)} images have an EXIF orientation and are turned when they are loaded; '
        f'make sure that their masks were drawn on the turned images: {some(turned)}'
    ]


# ---------------------------------------------------------------------------- values


def _counts(path: str, table: np.ndarray) -> np.ndarray:
    """How many pixels hold each value (256,) of a mask."""
    values = read_mask(path)
    if fault := value_fault(path, values, table):
        raise BadMask(fault)
    return np.bincount(values.ravel(), minlength=256)


def _check_values(masks: list[str], table: np.ndarray) -> list[str]:
    rows = np.linspace(0, len(masks) - 1, min(SAMPLE, len(masks))).round().astype(int)
    sample = [masks[row] for row in rows]
    with ThreadPoolExecutor(THREADS) as pool:
        counts = sum(pool.map(_counts, sample, [table] * len(sample)))
    ignored = counts[table == IGNORED].sum() / counts.sum()
    where = f'{os.path.dirname(masks[0])}: in {len(sample)} masks'
    if ignored == 1:
        raise InputError(f'{where} not one pixel belongs to a class, all hold values to ignore.')
    if ignored <= MOSTLY:
        return []
    values = some(np.flatnonzero((table == IGNORED) & (counts > 0)).tolist())
    return [f'{where} {ignored:.0%} of the pixels are ignored (values {values}); is that meant?']


# ---------------------------------------------------------------------------- the checks


def check_masks(
    images: list[str], masks: list[str], table: np.ndarray, turns: bool = True
) -> list[str]:
    """Check the headers of all pairs of image and mask, and the values of some masks.

    Args:
        images, masks: files that are there, in the same order.
        table: label of every value, by ``label_table``.
        turns: whether images are turned as their EXIF orientation says when they are loaded.

    Returns:
        Warnings of one line each.

    Raises:
        BadMask: a file cannot be used; names the first.
        InputError: the masks as a whole cannot be used.
    """
    return _check_headers(images, masks, turns) + _check_values(masks, table)


def _fault(image: str, mask: str, table: np.ndarray, turns: bool) -> str:
    """What is wrong with one pair, all values looked at; '' if nothing."""
    try:
        fault, _ = _header_faults(image, mask, turns)
        return fault or value_fault(mask, read_mask(mask), table)
    except BadMask as error:
        return str(error)


def _is_masks(kind: object) -> bool:
    """Whether a data set class finds its files as mmseg's BaseSegDataset does."""
    from mmseg.datasets import BaseSegDataset  # here: heavy, and not needed to load a mask

    return (
        isinstance(kind, type)
        and issubclass(kind, BaseSegDataset)
        and kind.load_data_list is BaseSegDataset.load_data_list
    )


def _opened(kind: type, config: dict):
    """The data set of ``config`` as mmseg itself understands its paths and classes."""
    keys = ('ann_file', 'data_root', 'data_prefix', 'img_suffix', 'seg_map_suffix', 'metainfo')
    options = {key: config[key] for key in (*keys, 'reduce_zero_label') if key in config}
    try:
        dataset = kind(**options, lazy_init=True)
    except ValueError as error:  # classes that are no subset of those of the data set
        raise InputError(f'{config.get("data_root")}: metainfo: {error}') from error
    classes = dataset.metainfo.get('classes')
    if not classes or isinstance(classes, str):
        raise InputError(
            f'{config.get("data_root")}: metainfo.classes is {classes!r}; write a tuple of names.'
        )
    return dataset


def _table(dataset, loading: dict) -> np.ndarray:
    """The labels of all values for a data set, loaded by a transform of config ``loading``."""
    known = dataset.METAINFO.get('classes') or dataset.metainfo['classes']
    given = loading.get('num_classes', len(known))
    if given != len(known):
        raise InputError(
            f'{dataset.data_root}: num_classes of LoadMask in the pipeline is {given}, but the '
            f'data set has {len(known)} classes: {some(known)}.'
        )
    ignored = loading.get('ignored', ())
    return label_table(len(known), dataset.reduce_zero_label, ignored, dataset.label_map)


def _pairs(dataset) -> tuple[list[str], list[str]]:
    """Images and masks, all of them there."""
    images, masks = dataset.data_prefix['img_path'], dataset.data_prefix['seg_map_path']
    samples = dataset.load_data_list()
    if not samples:
        raise InputError(
            f'{os.path.abspath(images)}: no image ends in {dataset.img_suffix!r}; set img_suffix '
            'of the data set in the configuration.'
        )
    found = [sample['img_path'] for sample in samples], [s['seg_map_path'] for s in samples]
    for kind, folder, paths in zip(('images', 'masks'), (images, masks), found, strict=True):
        _check_files(kind, folder, paths)
    return found


def _checkable(config: dict) -> tuple[list[str], list[str], np.ndarray, bool] | None:
    """The arguments of :func:`check_masks` for a data set, None for those of another form."""
    from mmseg.registry import DATASETS

    kind = config['type']
    kind = DATASETS.get(kind) if isinstance(kind, str) else kind
    masked = (config.get('data_prefix') or {}).get('seg_map_path')
    if not _is_masks(kind) or not masked or config.get('backend_args'):
        return None
    dataset = _opened(kind, config)
    steps = {step['type'].rpartition('.')[2]: step for step in config.get('pipeline', ())}
    loading = steps.get('LoadImage') or steps.get('LoadImageFromFile') or {}
    table = _table(dataset, steps.get('LoadMask', {}))
    turns = loading.get('color_type', 'color') in ('color', 'grayscale')
    return *_pairs(dataset), table, turns


def check_dataset(config: dict) -> list[str]:
    """:func:`check_masks` for the configuration of a data set of mmseg.

    Data sets of another form, without masks or behind ``backend_args`` are not checked.
    """
    found = _checkable(config)
    return check_masks(*found) if found else []


def mask_checks(config: dict) -> dict[str, Callable[[], str]]:
    """For every mask of a data set, by its path, a function that says what is wrong with it.

    Where :func:`check_dataset` looks at a sample and stops, these look at every value of all.
    """
    found = _checkable(config)
    if not found:
        return {}
    images, masks, table, turns = found
    pairs = zip(images, masks, strict=True)
    return {mask: partial(_fault, image, mask, table, turns) for image, mask in pairs}
