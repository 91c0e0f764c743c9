"""Annotated pictures, and the folder in COCO's format that they become."""

import json
import math
import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..data.loading.coco_masks import area_of, box_around, to_polygons
from ..data.loading.image_file import read_content, read_header, size_of
from ..data.loading.load_mask import size_fault
from ..errors import InputError
from ..utils.messages import cut
from .source import Source, split_of

LEAST = 1  # pixels of a side; mmdet learns from no thinner box
OUTSIDE = 'objects outside their image or thinner than a pixel, left out'
BEYOND_EDGE = 'objects that extend beyond the edge of their image, cut at the edge'
BEYOND = 0.05  # of a picture, that an object may reach over the edge; more is another scale


@dataclass
class Picture:
    """A picture, its size as it is loaded, turned as EXIF says, and its objects.

    These are annotations in COCO's form, with the name of the class in place of numbers.
    """

    path: Path
    width: int
    height: int
    split: str | None
    objects: list[dict] = field(default_factory=list)

    def require_size(self, file: Path, width: object, height: object) -> None:
        """Refuse annotations of another size.

        Args:
            file: the annotation file.
            width, height: of its picture, as it says: numbers or text; None, '' and 0 say nothing.

        Raises:
            InputError: a side is another one, or no number.
        """
        for told, own in ((width, self.width), (height, self.height)):
            try:
                side = float(told or 0)  # type: ignore[arg-type]
            except (OverflowError, TypeError, ValueError) as error:
                raise InputError(f'{file}: gives {cut(told)} as the size of its image.') from error
            if side not in (0, own):
                raise InputError(
                    f'{file}: describes an image of {width} x {height} pixels, but {self.path} '
                    f'has {self.width} x {self.height} (turned if its EXIF data says so). Use '
                    'the image that was annotated. If the objects are right, correct the size '
                    'in the file.'
                )

    def require_mask_size(self, mask: Path, size: Sequence[int]) -> None:
        """Refuse a mask that has another ``size``, (height, width).

        Raises:
            InputError: says both sizes.
        """
        if fault := size_fault(str(mask), size, str(self.path), (self.height, self.width)):
            raise InputError(fault)


def names_of(pictures: Iterable[Picture]) -> list[str]:
    """Return the names of the classes of all objects, in alphabetical order."""
    return sorted({entry['name'] for picture in pictures for entry in picture.objects})


def open_picture(source: Source, file: Path, annotation: Path | None = None) -> Picture:
    """Return a picture by its header, of the split that its folders name, or its annotation's.

    Raises:
        InputError: it cannot be read, or is truncated.
    """
    try:
        if file.exists() and not file.is_file():  # a pipe is read forever
            raise ValueError('not a regular file')
        read_content(str(file))  # finds JPEGs that are cut short, whose headers are whole
        height, width = size_of(read_header(str(file)), turns=True)
    except Exception as error:  # every Pillow plugin has exceptions of its own
        raise InputError(f'{file}: {error}. Replace it with a good copy, or remove it.') from error
    split = split_of(source, file) or (annotation and split_of(source, annotation))
    return Picture(file, width, height, split or None)


def add_object(
    source: Source, picture: Picture, name: str, points: Sequence[float], where: str, crowd=False
) -> None:
    """Add an object to a picture; what is changed of it, or that it is left out, is noted.

    Args:
        source, picture: get the notes and the object.
        name: of its class.
        points: x, y, x, y ... in pixels from 0: two opposite corners of a box, or an outline.
        where: file and line, for notes and messages.
        crowd: whether it is neither learned nor counted.

    Raises:
        InputError: a coordinate is no number, or so far outside that the scale is another one.
    """
    limits = (picture.width, picture.height) * (len(points) // 2)
    for value, limit in zip(points, limits, strict=True):
        if not -BEYOND * limit - 1 <= value <= (1 + BEYOND) * limit + 1:  # also where it is nan
            raise InputError(
                f'{where}: the coordinate {value:g} is far outside the image, which has '
                f'{picture.width} x {picture.height} pixels. Correct it, or use the image that '
                'was annotated.'
            )
    kept = [min(max(value, 0), limit) for value, limit in zip(points, limits, strict=True)]
    if kept != [*points]:
        source.change(BEYOND_EDGE, where)
    x, y = kept[::2], kept[1::2]
    left = min(x)
    top = min(y)
    width = max(x) - min(x)
    height = max(y) - min(y)
    outline = kept if len(kept) > 4 else []
    if not outline and kept[:2] != [left, top]:
        source.change('boxes with corners in another order, reordered', where)
    area = area_of(outline) if outline else width * height
    entry: dict = {'name': name, 'bbox': [left, top, width, height], 'area': area}
    entry |= {'iscrowd': int(crowd), 'segmentation': [outline] if outline else []}
    _take(source, picture, entry, where)


def corners_of(x: float, y: float, width: float, height: float, angle: float) -> list[float]:
    """Return the corners x, y ... of a box around a center, turned by an angle in radians."""
    cosine, sine = math.cos(angle), math.sin(angle)
    points = []
    for across, down in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        right, below = across * width / 2, down * height / 2
        points += [x + right * cosine - below * sine, y + right * sine + below * cosine]
    return [round(point, 9) for point in points]  # so that an edge of the image is not exceeded


def add_mask(source: Source, picture: Picture, name: str, mask: np.ndarray, where: str) -> None:
    """Add an object as :func:`add_object` does, by its pixels (H, W) of the picture, bool."""
    left, top, right, bottom = box_around(mask) if mask.any() else (0, 0, 0, 0)
    box = [left, top, right - left, bottom - top]
    entry: dict = {'name': name, 'bbox': box, 'area': int(mask.sum())}
    entry |= {'iscrowd': 0, 'segmentation': to_polygons(mask)}
    _take(source, picture, entry, where)


def _take(source: Source, picture: Picture, entry: dict, where: str) -> None:
    if min(entry['bbox'][2:]) < LEAST or not entry['area']:
        source.leave_out(OUTSIDE, where)
    elif entry in picture.objects:
        source.leave_out('duplicate objects, kept once', where)
    else:
        picture.objects.append(entry)
        source.taken += 1


def add_shapes(
    source: Source,
    picture: Picture,
    where: str,
    shapes: Sequence,
    add: Callable[[Source, Picture, Any, str], None],
    group_of: Callable[[Any], object],
) -> None:
    """Add the shapes of a picture, of which those of one group are one object.

    Args:
        source, picture: get the notes and the objects.
        where: the file, and the picture in it.
        shapes: all of them.
        add: adds a shape or leaves it out by name; its last argument is its place.
        group_of: returns the group of a shape that was added, None without one.
    """
    groups: dict = {}  # the first object of each
    with source.accounting(where, len(shapes)):
        for number, shape in enumerate(shapes, 1):
            place = f'{where}: shape {number}'
            before = len(picture.objects)
            add(source, picture, shape, place)
            group = group_of(shape) if len(picture.objects) > before else None
            if group is not None:
                first = groups.setdefault(group, picture.objects[-1])
                if first is not picture.objects[-1]:
                    source.taken -= 1
                    source.leave_out('shapes that are parts of one object, merged', place)
                    _join(first, picture.objects.pop())


def _join(entry: dict, part: dict) -> None:
    """Add a part to an object."""
    x, y, width, height = entry['bbox']
    left, top, wide, high = part['bbox']
    right, bottom = max(x + width, left + wide), max(y + height, top + high)
    x, y = min(x, left), min(y, top)
    if entry['segmentation'] or part['segmentation']:
        entry['segmentation'] = _outlines(entry) + _outlines(part)
    entry.update(bbox=[x, y, right - x, bottom - y], area=entry['area'] + part['area'])


def _outlines(entry: dict) -> list[list[float]]:
    """Return the outlines of an object, that of its box where it has none."""
    x, y, width, height = entry['bbox']
    return entry['segmentation'] or [[x, y, x + width, y, x + width, y + height, x, y + height]]


def write_coco(out: Path, pictures: Sequence[Picture], classes: Sequence[str], copy: bool) -> None:
    """Write ``images`` and a file in ``annotations`` for each split below an empty folder.

    Args:
        out: the folder.
        pictures: all of them; where some have a split, those without are for training.
        classes: the names of all objects, in the order of their numbers.
        copy: copy the pictures; otherwise they are links to the files.
    """
    common = os.path.commonpath([picture.path.parent for picture in pictures])
    rest = 'train' if any(picture.split for picture in pictures) else ''
    parts = {}
    for picture in sorted(pictures, key=lambda each: each.path):
        content = parts.setdefault(picture.split or rest, {'images': [], 'annotations': []})
        name = picture.path.relative_to(common).as_posix()
        key = len(content['images']) + 1
        size = {'width': picture.width, 'height': picture.height}
        content['images'].append({'id': key, 'file_name': name, **size})
        for entry in picture.objects:
            number = classes.index(entry.pop('name')) + 1
            numbers = {'id': len(content['annotations']) + 1, 'image_id': key}
            content['annotations'].append({**numbers, 'category_id': number, **entry})
        place(picture.path, out / 'images' / name, copy)
    categories = [{'id': number, 'name': name} for number, name in enumerate(classes, 1)]
    (out / 'annotations').mkdir()
    for split, content in parts.items():
        file = out / 'annotations' / f'instances{"_" if split else ""}{split}.json'
        file.write_text(json.dumps({**content, 'categories': categories}), 'utf-8')


def place(file: Path, target: Path, copy: bool) -> None:
    """Copy or link a file."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if copy:
        shutil.copyfile(file, target)
    else:
        target.symlink_to(file.resolve())


def relative_links(folder: Path, final: Path) -> None:
    """Make links relative that lead to files on the same disk below a common folder.

    Both may then be moved together.

    Args:
        folder: with the links.
        final: the place that it will have.
    """
    for place, _, names in os.walk(folder):
        for link in (Path(place, name) for name in names if Path(place, name).is_symlink()):
            target = link.resolve()
            start = Path(final, link.relative_to(folder)).parent
            is_apart = os.path.commonpath([target, start]) == target.anchor
            if not is_apart and target.stat().st_dev == folder.stat().st_dev:
                link.unlink()
                link.symlink_to(os.path.relpath(target, start))
