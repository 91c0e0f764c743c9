"""Annotations in COCO's form, as :mod:`.pictures` has those of other forms."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from ..data.checks.coco_file import require_box
from ..data.checks.segmentations import usable_segmentation
from ..data.own.coco_folder import CocoPart, find_parts
from ..errors import InputError
from ..utils.messages import cut
from ..utils.rules import is_number
from .pictures import BEYOND_EDGE, LEAST, OUTSIDE, Picture, open_picture
from .source import Source

KEPT = ('bbox', 'area', 'iscrowd', 'segmentation')
NO_MASK = 'outlines with fewer than 3 points or outside their image, left out'


def read_coco(source: Source, annotations: Sequence[str] = ()) -> tuple[list[Picture], list[str]]:
    """Read the annotation files below a folder, and the names of their classes, in their order.

    ``annotations`` are those of :func:`~..data.own.annotation_files.find_files`.
    """
    parts = find_parts(source.root, (), annotations)
    names = {}
    pictures: dict[Path, Picture] = {}
    for split, part in parts.items():
        classes = {category['id']: category['name'] for category in part.content['categories']}
        names |= dict.fromkeys(classes.values())
        objects = defaultdict(list)
        for ann in part.content['annotations']:
            objects[ann['image_id']].append(ann)
        for image in part.content['images']:
            own = objects[image['id']]
            with source.listing_faults(), source.accounting(part.file, len(own)):
                picture = _picture(source, part, image, split if len(parts) > 1 else None, pictures)
                for ann in own:
                    where = f'{part.file}: annotation {ann["id"]}'
                    add_annotation(source, picture, classes[ann['category_id']], ann, where)
    if source.left_out and not source.taken and not source.faults:
        raise InputError(
            f'{source.root}: all {source.left_out} boxes are outside their image or thinner than a '
            'pixel. COCO boxes are [x, y, width, height] in pixels, not fractions of the image.'
        )
    return [*pictures.values()], [*names]


def _picture(
    source: Source, part: CocoPart, image: dict, split: str | None, pictures: dict[Path, Picture]
) -> Picture:
    """Open a picture of a split, unless it is among the ``pictures`` by path.

    Raises:
        InputError: it cannot be read, has another size, or is for another split as well.
    """
    picture = open_picture(source, part.images / image['file_name'])
    picture.split = split
    picture.require_size(part.file, image.get('width'), image.get('height'))
    known = pictures.setdefault(picture.path, picture)
    if known.split != split:
        raise InputError(
            f'{picture.path}: is listed for {known.split} and for {split}. Remove it from one '
            'of the annotation files.'
        )
    if known is not picture:
        source.change('images listed under several ids, merged', picture.path)
    return known


def add_annotation(source: Source, picture: Picture, name: str, ann: dict, where: str) -> None:
    """Add an annotation to a picture, or note a fault or that it is left out.

    Args:
        source, picture: get the notes and the object.
        name: of its class.
        ann: as a file of unknown origin has it.
        where: file and id, for notes and messages.
    """
    with source.listing_faults():
        if found := _read_annotation(source, picture, ann, where):
            picture.objects.append({'name': name, **found})
            source.taken += 1
        else:
            source.leave_out(OUTSIDE, where)
        return
    source.left_out += 1  # and its fault is listed


def _read_annotation(source: Source, picture: Picture, ann: dict, where: str) -> dict | None:
    """Return what of an annotation is :data:`KEPT`, None where nothing is in the picture.

    Raises:
        InputError: a value cannot be meant.
    """
    crowd = ann.get('iscrowd', 0)
    area = ann.get('area')
    require_box(where, ann.get('bbox'))
    if crowd not in (0, 1):
        raise InputError(f'{where}: iscrowd is {cut(crowd)}; it must be 0 or 1')
    try:
        found = usable_segmentation(ann.get('segmentation'), picture.height, picture.width)
    except (ValueError, OverflowError) as error:
        raise InputError(f'{where}: the segmentation cannot be used: {error}') from error
    if found.dropped:
        source.change(NO_MASK, where)
    x, y, width, height = ann['bbox']
    left, top = max(x, 0), max(y, 0)
    right, bottom = min(x + width, picture.width), min(y + height, picture.height)
    sides = [right - left, bottom - top]
    if min(width, height, *sides) < LEAST:
        return None
    if (left, top, right, bottom) != (x, y, x + width, y + height) or found.cut:
        source.change(BEYOND_EDGE, where)
    if not is_number(area) or area <= 0 or (sides != [width, height] and not found.mask):
        area = sides[0] * sides[1]
    kept = [left, top, *sides], area, int(crowd), found.mask
    return dict(zip(KEPT, kept, strict=True))
