"""Check a data set in COCO's panoptic format: its JSON file, and the PNG file of each image.

mmdet looks for a PNG file under the name of the image. A segment that it does not find there is one
without pixels, and pixels that the JSON file does not mention are ignored, both without a word.
"""

import os
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...utils.messages import some
from ..loading.image_file import UnreadableImage, read_image
from ..loading.load_mask import BadMask
from ..loading.panoptic import VOID, to_ids
from . import coco
from .coco_file import COLUMNS, ID, NUMBER, Table, check_boxes, column, load_json, table
from .findings import Findings, Look, not_there, spread

SAMPLE = 50  # PNG files that are looked at before a run
SLACK = 0.01  # of an area that may differ from the pixels
ENTRIES = {'image_id': ID, 'segments_info': (list,)}
SEGMENTS = {'id': (int,), 'category_id': ID, 'bbox': (list,), 'area': NUMBER}
MOST = 2**24 - 1  # the largest number that three bytes of a color hold


class Segment(NamedTuple):
    """What the JSON file says of a segment: its label (its place in the classes) and its area."""

    label: int
    area: float


def check_dataset(config: dict, evaluated: bool = False) -> Findings:
    """Look into the files of a data set of mmdet.

    Args:
        config: its settings.
        evaluated: whether panoptic quality is measured on it.

    Raises:
        InputError: the run cannot work with this data set.
    """
    if config.get('backend_args'):
        return Findings()
    dataset = coco.unloaded(config)
    tables = _, segments, categories = read_panoptic(dataset.ann_file)
    _check_things(dataset.ann_file, categories, dataset.metainfo)
    findings = coco.check_tables(config, dataset, tables)
    if evaluated or config.get('test_mode'):
        _check_crowds(dataset.ann_file, segments)
    looks = list(_looks(dataset, *tables).values())
    faults = [looks[place]().fault for place in spread(len(looks), SAMPLE)]
    faults = [fault for fault in faults if fault]
    if faults:
        raise BadMask(faults[0] + (f' ({len(faults)} files have faults)' if faults[1:] else ''))
    return findings


def segment_checks(config: dict) -> dict[str, Callable[[], Look]]:
    """Return what looks at each PNG file of a data set, by their paths."""
    dataset = coco.unloaded(config)
    return _looks(dataset, *read_panoptic(dataset.ann_file))


# ---------------------------------------------------------------------------- the JSON file


def read_panoptic(ann_file: str) -> tuple[Table, Table, Table]:
    """Read the images, the segments of all images, and the categories of a file.

    The segments have the columns of annotations, so that the same checks fit. ``number`` is the one
    in the PNG file, ``id`` says it together with its image.

    Raises:
        InputError: the file is missing or damaged, or an entry has a value that cannot be used.
    """
    data = load_json(ann_file)
    images = table(ann_file, data, 'images', COLUMNS['images'])
    things = COLUMNS['categories'] | {'isthing': (int, bool)}
    categories = table(ann_file, data, 'categories', things)
    entries = table(ann_file, data, 'annotations', ENTRIES, key='image_id')
    segments = defaultdict(list)
    for image, infos in zip(entries['image_id'], entries['segments_info'], strict=True):
        for key, values in _segments(ann_file, image, infos).items():
            segments[key] += values
    if not segments['id']:
        raise InputError(f'{ann_file}: no segment in any segments_info, there is nothing to learn.')
    check_boxes(ann_file, segments)
    return images, segments, categories


def _segments(ann_file: str, image: int | str, infos: list) -> Table:
    """Return the segments of an image as columns."""
    part = f'segments_info of image {image}'
    if set(map(type, infos)) - {dict}:
        raise InputError(f'{ann_file}: {part}: must be a list of objects.')
    found = {key: column(ann_file, part, infos, key, types) for key, types in SEGMENTS.items()}
    numbers = found['id']
    wrong = [number for number in numbers if not 0 < number <= MOST]
    if wrong or len(set(numbers)) < len(numbers):
        raise InputError(
            f'{ann_file}: {part}: the ids {some(wrong or numbers)} must be different numbers from '
            f'1 to {MOST}, red + 256 green + 65536 blue of the segment in its PNG file.'
        )
    for key in ('iscrowd', 'ignore'):
        found[key] = [info.get(key) for info in infos]
    names = [f'{number} of image {image}' for number in numbers]
    return found | {'id': names, 'number': numbers, 'image_id': [image] * len(infos)}


def _check_things(ann_file: str, categories: Table, meta: dict) -> None:
    """Require that the file and the configuration agree on what is a thing."""
    things = meta['thing_classes']
    pairs = zip(categories['name'], categories['isthing'], strict=True)
    wrong = [
        name for name, isthing in pairs if name in meta['classes'] and isthing != (name in things)
    ]
    if wrong:
        raise InputError(
            f'{ann_file}: isthing of the categories {some(wrong)} is not what metainfo says, whose '
            f'thing_classes are {some(things)}. Set "isthing": 1 for them and 0 for '
            'stuff_classes in the file, or correct metainfo of every data set.'
        )


def _check_crowds(ann_file: str, segments: Table) -> None:
    pairs = zip(segments['id'], segments['iscrowd'], strict=True)
    missing = [name for name, crowd in pairs if crowd not in (0, 1)]
    if missing:
        raise InputError(
            f"{ann_file}: {len(missing)} segments ({some(missing, str)}) have no 'iscrowd' of 0 or "
            '1, without which panoptic evaluation stops. Add "iscrowd": 0 to ordinary segments.'
        )


# ---------------------------------------------------------------------------- PNG files


def _looks(
    dataset, images: Table, segments: Table, categories: Table
) -> dict[str, Callable[[], Look]]:
    """Return what looks at the PNG file of each image; require all of these files."""
    folder, classes = dataset.data_prefix.get('seg'), dataset.metainfo['classes']
    if not folder:
        raise InputError(
            f'the data set of {dataset.ann_file} needs data_prefix=dict(img=..., seg=...), the '
            'folders of its images and of the PNG files of their segments, relative to data_root.'
        )
    names = [name.replace('.jpg', '.png') for name in images['file_name']]
    missing = not_there(folder, names)
    if missing:
        raise InputError(
            f'{len(missing)} PNG files of segments are not in {os.path.abspath(folder)}: '
            f'{some(missing)}. mmdet looks for the name of the image, with .png in place of .jpg; '
            'put them there, or correct data_prefix.seg of the data set in the configuration.'
        )
    label_of = {
        key: classes.index(name)
        for key, name in zip(categories['id'], categories['name'], strict=True)
        if name in classes
    }
    said = defaultdict(dict)  # {image: {number: Segment}}
    columns = (segments[key] for key in ('image_id', 'number', 'category_id', 'area'))
    for image, number, category, area in zip(*columns, strict=True):
        said[image][number] = Segment(label_of[category], area)
    looks = {}
    sizes = zip(images['height'], images['width'], strict=True)
    for image, name, size in zip(images['id'], names, sizes, strict=True):
        path = os.path.join(folder, name)
        looks[path] = partial(_look, path, size, said[image], len(classes))
    return looks


def _look(path: str, size: tuple, said: dict[int, Segment], classes: int) -> Look:
    """Compare a PNG file with what the JSON file says of its segments; count pixels by class."""
    try:
        colors = read_image(path)  # (H, W, 3) in BGR
    except UnreadableImage as error:
        return Look(str(error))
    fault = coco.image_size_fault(size, colors.shape[:2])
    if fault:
        return Look(f'segments in {path}: the image {fault}')
    numbers, areas = np.unique(to_ids(colors[..., ::-1]), return_counts=True)
    found = dict(zip(numbers.tolist(), areas.tolist(), strict=True))
    found.pop(VOID, None)
    fault = _difference(found, said)
    if fault:
        return Look(f'segments in {path}: {fault}')
    pixels = np.zeros(classes, int)
    for number, segment in said.items():
        pixels[segment.label] += found[number]
    return Look(pixels=pixels)


def _difference(found: dict[int, int], said: dict[int, Segment]) -> str:
    """Say in what the pixels of segments differ from the JSON file, '' if in nothing."""
    if unknown := sorted(found.keys() - said.keys()):
        return (
            f'pixels of the segments {some(unknown)}, which segments_info of the JSON file does '
            'not have. Add them there, or make the pixels 0 (is it a color picture, red first?)'
        )
    if absent := sorted(said.keys() - found.keys()):
        return (
            f'no pixel of the segments {some(absent)}, which segments_info of the JSON file has. '
            'Take them out there, or correct the picture'
        )
    wrong = [n for n, pixels in found.items() if abs(said[n].area - pixels) > SLACK * pixels]
    if wrong:
        return (
            f'the segment {wrong[0]} has {found[wrong[0]]} pixels, and its area in the JSON file '
            f'is {said[wrong[0]].area}. Correct the area'
        )
    return ''
