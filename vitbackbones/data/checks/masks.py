"""Check a dataset of images and index masks before a run, as ``coco`` does for boxes.

The headers of all files are read (kind, size, EXIF orientation: a tenth of a millisecond each),
and the values of some of the masks. ``LoadMask`` looks at every value again when it loads the mask.
What cannot work raises ``InputError``; what is only suspicious is a warning of one line.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np
from PIL import Image

from ...errors import InputError
from ...registry import bare_name
from ...utils.messages import some
from ..loading import IGNORED
from ..loading.image_file import IMAGES, read_header, read_image, reason_of, size_of
from ..loading.load_mask import BadMask, label_table, mask_size, read_mask, size_fault, value_fault
from .findings import TURNING, Findings, Look, color_type, require_there, spread

SAMPLE = 2000  # masks for training whose values are looked at: rare classes are in a few alone
TESTED = 200  # masks for validation or testing whose values are looked at
BINARY = {0, 255}  # values of masks of black and white
THREADS = 8  # that read files at a time: on network disks it is the waiting that takes long
MOSTLY = 0.5  # of the sampled pixels; more that are ignored deserve a warning


class Pairs(NamedTuple):
    """The images and masks of a dataset, and how they are read."""

    dataset: object  # of mmseg, as it understands its own paths and classes
    images: list[str]  # files
    masks: list[str]  # in the same order
    table: np.ndarray  # the label of every value (256,), by label_table
    classes: Sequence[str]  # names of the labels
    load: str | int  # the color type of images, which also tells whether EXIF turns them

    def header_fault(self, image: str, mask: str) -> str:
        """Return what the headers of a pair show to be wrong, '' if nothing."""
        if isinstance(self.load, int):  # bands, whose headers Pillow does not know
            size = read_image(image, self.load).shape[:2]
        else:
            size = size_of(_header(image), self.load in TURNING)
        try:
            return size_fault(mask, mask_size(mask), image, size)
        except BadMask as error:
            return str(error)

    def count(self, mask: str) -> np.ndarray:
        """Return the pixels of each value (256,); raise a ``BadMask`` for one that is no class."""
        values = read_mask(mask)
        if fault := value_fault(mask, values, self.table):
            raise BadMask(fault)
        return np.bincount(values.ravel(), minlength=256)

    def by_class(self, counts: np.ndarray) -> np.ndarray:
        """Return the pixels of each class (K,) from those of each value (256,)."""
        return np.array([counts[self.table == label].sum() for label in range(len(self.classes))])

    def look(self, image: str, mask: str) -> Look:
        """Look at one pair and all its values."""
        try:
            fault = self.header_fault(image, mask)
            return Look(fault) if fault else Look(pixels=self.by_class(self.count(mask)))
        except InputError as error:
            return Look(str(error))


def _header(path: str) -> Image.Image:
    try:
        return read_header(path)
    except Exception as error:  # every Pillow plugin has exceptions of its own
        raise BadMask(f'{path}: {reason_of(error)}. Replace it with a good copy.') from error


# ---------------------------------------------------------------------------- the checks


def check_dataset(config: dict, evaluated: bool = False) -> Findings:
    """Check the headers of all images and masks of a dataset, and the values of some masks.

    Datasets of another form, without masks or behind ``backend_args`` are not checked.

    Args:
        config: its settings.
        evaluated: whether it is not for training; fewer masks are looked at, as classes may be
            missing there.

    Raises:
        BadMask: a file cannot be used; names the first.
        InputError: the dataset as a whole cannot be used.
    """
    pairs = _open(config)
    if pairs is None:
        return Findings()
    masks = pairs.masks
    sample = [masks[row] for row in spread(len(masks), TESTED if evaluated else SAMPLE)]
    with ThreadPoolExecutor(THREADS) as pool:
        if faults := list(filter(None, pool.map(pairs.header_fault, pairs.images, masks))):
            count = f'{len(faults)} of {len(masks)} masks'
            raise BadMask(f'{faults[0]} {count} have a problem of this kind.')
        counts = sum(pool.map(pairs.count, sample))
    where = f'{os.path.dirname(masks[0])}: in {len(sample)} masks'
    warnings = _check_values(where, counts, pairs.table, len(pairs.classes))
    return Findings(
        [*warnings, *_left_out_warnings(pairs.dataset)],
        samples=len(pairs.images),
        occurs=dict(zip(pairs.classes, pairs.by_class(counts).tolist(), strict=True)),
        files=pairs.images,
        sampled=f'{len(sample)} of {len(masks)} masks' if len(sample) < len(masks) else '',
    )


def mask_checks(config: dict) -> dict[str, Callable[[], Look]]:
    """Return, by the path of every mask of a dataset, a function that looks at it.

    Where :func:`check_dataset` looks at a sample and stops, these look at every value of all.
    """
    pairs = _open(config)
    if pairs is None:
        return {}
    both = zip(pairs.images, pairs.masks, strict=True)
    return {mask: partial(pairs.look, image, mask) for image, mask in both}


# ---------------------------------------------------------------------------- configurations


def _open(config: dict) -> Pairs | None:
    """Return what a config says of images and masks that are there; None for other datasets."""
    from mmseg.datasets import BaseSegDataset  # here: heavy, and not needed to load a mask
    from mmseg.registry import DATASETS

    from ..loading.mask_pairs import MaskPairs

    kind = DATASETS.get(config['type']) if isinstance(config['type'], str) else config['type']
    if not isinstance(kind, type) or not issubclass(kind, BaseSegDataset):
        return None
    masked = (config.get('data_prefix') or {}).get('seg_map_path')
    is_plain = kind.load_data_list in (BaseSegDataset.load_data_list, MaskPairs.load_data_list)
    if not is_plain or not masked or config.get('backend_args'):
        return None
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
    pipeline = config.get('pipeline', ())
    loading = next((step for step in pipeline if bare_name(step['type']) == 'LoadMask'), {})
    table = _table(dataset, loading)
    return Pairs(dataset, *_files(dataset), table, classes, color_type(pipeline))


def _table(dataset, loading: dict) -> np.ndarray:
    """Return the labels of all values of a dataset; ``loading`` configures what loads them."""
    known = dataset.METAINFO.get('classes') or dataset.metainfo['classes']
    given = loading.get('num_classes', len(known))
    if given != len(known):
        raise InputError(
            f'{dataset.data_root}: num_classes of LoadMask in the pipeline is {given}, but the '
            f'dataset has {len(known)} classes: {some(known)}.'
        )
    ignored, values = loading.get('ignored', ()), loading.get('values', ())
    return label_table(len(known), dataset.reduce_zero_label, ignored, dataset.label_map, values)


# ---------------------------------------------------------------------------- files


def _files(dataset) -> tuple[list[str], list[str]]:
    """Return the files of images and masks; require all of them."""
    folders = dataset.data_prefix
    samples = dataset.load_data_list()
    if not samples:
        raise InputError(
            f'{os.path.abspath(folders["img_path"])}: no image name ends in '
            f'{dataset.img_suffix!r}. Set img_suffix of the dataset in the config.'
        )
    images = [sample['img_path'] for sample in samples]
    masks = [sample['seg_map_path'] for sample in samples]
    remedy = (
        'Put them there. If the folder comes from the config, check data_prefix, img_suffix and '
        'seg_map_suffix.'
    )
    for kind, key, paths in (('images', 'img_path', images), ('masks', 'seg_map_path', masks)):
        names = [os.path.relpath(path, folders[key]) for path in paths]
        require_there(folders[key], names, kind, remedy)
    return images, masks


def _left_out_warnings(dataset) -> Iterator[str]:
    """Name images of another suffix, which mmseg leaves out without a word."""
    if dataset.ann_file:  # a list may leave out what it likes
        return
    folder, suffix = dataset.data_prefix['img_path'], dataset.img_suffix
    names = (name for _, _, names in os.walk(folder) for name in names)
    others = [name for name in names if name.lower().endswith(IMAGES) and not name.endswith(suffix)]
    if others:
        yield (
            f'{dataset.data_root}: {len(others)} images are skipped because their names do not '
            f'end in {suffix!r}: {some(sorted(others))}'
        )


# ---------------------------------------------------------------------------- values


def _check_values(where: str, counts: np.ndarray, table: np.ndarray, classes: int) -> Iterator[str]:
    """Judge masks by the pixels of each value; messages begin with ``where``."""
    values = set(np.flatnonzero(counts).tolist())
    if values <= BINARY and IGNORED in values and table[IGNORED] == IGNORED and classes > 1:
        way = 'replace 255 by the number of the class (mask[mask == 255] = 1)'
        if classes == 2:
            loading = 'load masks with vitbackbones.LoadMask(values=[0, 255]) in every pipeline'
            way = f'{loading}, or {way}'
        raise InputError(
            f'{where} all pixels have the values {some(sorted(values))}, and 255 is ignored in '
            f'training and evaluation. If 255 is a class, {way}.'
        )
    ignored = counts[table == IGNORED].sum() / counts.sum()
    if ignored == 1:
        raise InputError(f'{where} no pixel belongs to a class: all values are ignored.')
    if ignored > MOSTLY:
        held = some(sorted(value for value in values if table[value] == IGNORED))
        yield f'{where} {ignored:.0%} of the pixels are ignored (values {held}). Is this intended?'
