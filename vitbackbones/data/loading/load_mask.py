"""Read index masks, in which every pixel is a class index.

mmseg's ``LoadAnnotations`` casts all values to 8 bits, so that label 256 of a 16-bit mask becomes
class 0. It also accepts values that are no class: evaluation silently ignores such pixels, and
training stops in a CUDA kernel that cannot name the file. ``LoadMask`` knows the number of classes,
and its error names the file and the values.

Labels are the classes counted from 0, and 255 is ignored. With ``reduce_zero_label`` of the
dataset, as for ADE20K, files count the classes from 1, and 0 is ignored as well. For masks with
other values, such as 0 and 255, pass the values of the classes: ``LoadMask(values=(0, 255))``.
"""

from collections.abc import Sequence
from contextlib import suppress
from io import BytesIO

import cv2
import numpy as np
from mmcv.transforms import BaseTransform
from mmengine import fileio
from PIL import Image

from ...errors import InputError
from ...utils.messages import command_line, some
from ...utils.orientation import upright
from . import IGNORED
from .image_file import read_header, reason_of, size_of

NO_LABEL = -1  # in a table of labels: values that a mask must not hold
INDEX_MODES = ('1', 'L', 'P', 'I', 'I;16', 'I;16B')  # Pillow's names for pictures of one channel


class BadMask(InputError):
    """An unusable index mask or image; the rest of the dataset may be usable."""


def label_table(
    num_classes: int,
    reduce_zero_label: bool = False,
    ignored: Sequence[int] = (),
    label_map: dict[int, int] | None = None,
    values: Sequence[int] = (),
) -> np.ndarray:
    """Return the label of each mask value (256,), ``NO_LABEL`` where it is not allowed.

    Args:
        num_classes: classes that the files number.
        reduce_zero_label: whether the numbers start at 1, and 0 is ignored.
        ignored: more values that are ignored, beside 255.
        label_map: mmseg's map from these classes to a subset of them.
        values: the value of each class in the files, where they are not counted.

    Raises:
        InputError: ``values`` are not one for each class, from 0 to 255.

    >>> label_table(2, reduce_zero_label=True)[[0, 1, 2, 3, 255]]
    array([255,   0,   1,  -1, 255], dtype=int16)
    >>> label_table(2, values=[0, 255])[[0, 1, 255]]
    array([ 0, -1,  1], dtype=int16)
    """
    first = int(reduce_zero_label)
    values = list(values) or list(range(first, first + num_classes))
    if len(set(values) & set(range(256))) != num_classes or len(values) != num_classes:
        raise InputError(
            f'LoadMask: values={values} must be {num_classes} different numbers from 0 to 255, one '
            'for each class.'
        )
    table = np.full(256, NO_LABEL, np.int16)
    table[[IGNORED, *range(first)]] = IGNORED
    table[values] = [(label_map or {}).get(label, label) for label in range(num_classes)]
    table[list(ignored)] = IGNORED
    return table


def read_mask(path: str, backend_args: dict | None = None) -> np.ndarray:
    """Read the values of an index mask (H, W); of a palette image the indices, of 16 bit all.

    Read are also integer arrays, whole numbers of floating point, and gray in equal channels.

    Raises:
        BadMask: the file is missing, damaged, no image, a JPEG, or a picture with colors.
    """
    try:
        content = fileio.get(path, backend_args=backend_args)
    except Exception as error:  # every file backend has exceptions of its own
        reason = getattr(error, 'strerror', None) or error
        raise BadMask(f'mask file {path}: {reason}. Replace it with a good copy.') from error
    if not content:
        raise BadMask(f'mask file {path}: the file is empty. Replace it with a good copy.')
    try:
        if content.startswith(b'\x93NUMPY'):
            values = np.load(BytesIO(content), allow_pickle=False)
            kind = 'NPY'
            mode = ''
        else:
            with Image.open(BytesIO(content)) as image:
                values = _pixels(image)
                kind = image.format
                mode = image.mode
    except Exception as error:  # every Pillow plugin has exceptions of its own
        why = reason_of(error)
        raise BadMask(f'mask file {path}: {why}. Replace it with a good copy.') from error
    values, fault = _one_channel(values, mode)
    if kind == 'JPEG':
        fault = (
            'is a JPEG file, whatever its name says. JPEG changes values at the borders of '
            'classes. Save the original masks as PNG, or set each pixel to the nearest of its '
            'values'
        )
    if fault:
        raise BadMask(f'mask file {path}: {fault}.')
    return values


def mask_size(path: str) -> tuple[int, ...]:
    """Return height and width; a file that may be no index mask is read for it."""
    with suppress(Exception):  # every Pillow plugin has exceptions of its own; reading names them
        header = read_header(path)
        if header.format != 'JPEG' and header.mode in INDEX_MODES:
            return size_of(header)
    return read_mask(path).shape


def _pixels(image: Image.Image) -> np.ndarray:
    """Return the values of a picture; a GIF of grays numbers them anew in each file."""
    if image.format == 'GIF' and image.mode == 'P':
        colors = np.asarray(image.convert('RGB'))  # (H, W, 3)
        return colors if np.ptp(colors, 2).any() else colors[..., 0]
    return np.array(upright(image))


def _one_channel(values: np.ndarray, mode: str) -> tuple[np.ndarray, str]:
    """Return integer values (H, W), and what is wrong with them, '' if nothing."""
    if values.ndim == 3 and mode in ('LA', 'RGBA') and (values[..., -1] == 255).all():
        values = values[..., :-1]
    if values.ndim == 3 and (values == values[..., :1]).all():
        values = values[..., 0]
    if values.ndim != 2 and not mode:
        return values, f'is an array of shape {values.shape}, but a mask is (H, W)'
    if values.ndim != 2:
        return values, (
            f'is an image of mode {mode}, not an index mask. A mask has one channel with the class '
            f'number of each pixel; {command_line("import", "masks")} converts color-coded masks'
        )
    if values.dtype.kind == 'f' and (np.rint(values) == values).all():
        values = values.astype(np.int64)
    if values.dtype.kind not in 'biu':
        return values, 'has values that are not integers. Write the class number of each pixel'
    return (values.astype(np.uint8) if values.dtype == bool else values), ''


def size_fault(mask: str, size: Sequence[int], image: str, expected: Sequence[int]) -> str:
    """Return what is wrong with a mask of ``size`` (height, width) for an image, '' if nothing."""
    if tuple(size) == tuple(expected):
        return ''
    found, wanted = (f'{width} x {height}' for height, width in (size, expected))
    hint = (
        ' Images are turned as their EXIF orientation says. If masks were drawn on the unturned '
        "images, load images with color_type='color_ignore_orientation'."
    )
    turned = tuple(size)[::-1] == tuple(expected)
    return (
        f'mask file {mask}: has {found} pixels, but its image {image} has '
        f'{wanted}.{hint if turned else ""}'
    )


def value_fault(mask: str, values: np.ndarray, table: np.ndarray) -> str:
    """Return what is wrong with the ``values`` (H, W), by the table of labels, '' if nothing."""
    wrong = values[_labels(values, table) == NO_LABEL]
    if not wrong.size:
        return ''
    found = np.unique(wrong).tolist()
    classes = np.flatnonzero((table >= 0) & (table != IGNORED)).tolist()
    first, last = classes[0], classes[-1]
    allowed = f'{first} to {last}' if last - first < len(classes) else some(classes)
    counted = first == 0 and found == [len(classes)]
    hint = ' If files count from 1 and 0 is not a class, set reduce_zero_label=True.'
    return (
        f'mask file {mask}: {wrong.size} pixels have the values {some(found)}, which are not '
        f'classes: classes are {allowed}, ignored '
        f'{some(np.flatnonzero(table == IGNORED).tolist())}. Correct the mask, or the classes '
        f'of the dataset.{hint if counted else ""}'
    )


def _labels(values: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Return labels (H, W) of values of any integer type."""
    if values.dtype == np.uint8:
        return cv2.LUT(values, table)
    inside = values.clip(0, IGNORED)
    return np.where(inside == values, table[inside], NO_LABEL)


class LoadMask(BaseTransform):
    """mmseg's ``LoadAnnotations`` that knows the classes, with a ``BadMask`` for a bad one.

    Where a sample has no ``seg_map_path``, in inference, there is nothing to load.

    Args:
        num_classes: classes that the files number.
        ignored: values that are ignored, beside 255, and 0 with ``reduce_zero_label``.
        backend_args: of the file backend, as in mmcv.
        values: the value of each class in the files, where classes are not counted: ``[0, 255]``
            for masks of black and white. Of these, none is ignored.

    Raises:
        BadMask: the mask cannot be read, is a JPEG, has colors, has values that are no class, or
            is of another size than its image.
    """

    def __init__(
        self,
        num_classes: int,
        ignored: Sequence[int] = (),
        backend_args: dict | None = None,
        values: Sequence[int] = (),
    ) -> None:
        self.num_classes = num_classes
        self.ignored = tuple(ignored)
        self.backend_args = backend_args
        self.values = tuple(values)

    def transform(self, results: dict) -> dict:
        """Add ``gt_seg_map`` (H, W), labels in uint8, to ``results``."""
        path = results.get('seg_map_path')
        if path is None:
            return results
        values = read_mask(path, self.backend_args)
        of_set = results['reduce_zero_label'], self.ignored, results['label_map']
        table = label_table(self.num_classes, *of_set, self.values)
        fault = size_fault(path, values.shape, results['img_path'], results['ori_shape'])
        fault = fault or value_fault(path, values, table)
        if fault:
            raise BadMask(fault)
        results['gt_seg_map'] = _labels(values, table).astype(np.uint8)
        results['seg_fields'].append('gt_seg_map')
        return results
