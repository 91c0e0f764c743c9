"""Check a data set in COCO's panoptic format: its JSON file, and the PNG file of each image.

mmdet looks for a PNG file under the name of the image. A segment that it does not find there is one
without pixels, and pixels that the JSON file says nothing of are ignored; neither is mentioned.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...utils.messages import some
from ..loading.image_file import UnreadableImage, read_image
from ..loading.load_mask import BadMask
from ..loading.panoptic import VOID, to_ids
from . import coco
from .coco_file import Table
from .findings import Findings, Look, not_there, spread
from .panoptic_file import read_panoptic
from .pipelines import color_type

SAMPLE = 50  # PNG files that are looked at before a run
SLACK = 0.01  # of an area that may differ from the pixels


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
    ann_file, folder, classes = coco.settings(dataset)
    images, segments, categories = read_panoptic(ann_file)
    _check_things(ann_file, categories, dataset.metainfo)
    findings = coco.check_tables(
        ann_file,
        folder,
        classes,
        (images, segments, categories),
        color_type(config.get('pipeline', ())),
        None if config.get('test_mode') else config.get('filter_cfg'),
    )
    if evaluated or config.get('test_mode'):
        _check_crowds(ann_file, segments)
    looks = list(_looks(ann_file, dataset, images, segments, categories).values())
    faults = [fault for place in spread(len(looks), SAMPLE) if (fault := looks[place]().fault)]
    if faults:
        raise BadMask(faults[0] + (f' ({len(faults)} files have faults)' if faults[1:] else ''))
    return findings


def segment_checks(config: dict) -> dict[str, Callable[[], Look]]:
    """Return what looks at each PNG file of a data set, by their paths."""
    dataset = coco.unloaded(config)
    return _looks(dataset.ann_file, dataset, *read_panoptic(dataset.ann_file))


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
    ann_file: str, dataset, images: Table, segments: Table, categories: Table
) -> dict[str, Callable[[], Look]]:
    """Return what looks at the PNG file of each image.

    Raises:
        InputError: files are missing.
    """
    folder = dataset.data_prefix.get('seg')
    if not folder:
        raise InputError(
            f'the data set of {ann_file} needs data_prefix=dict(img=..., seg=...), the folders of '
            'its images and of the PNG files of their segments, relative to data_root.'
        )
    names = [name.replace('.jpg', '.png') for name in images['file_name']]
    if missing := not_there(folder, names, f'{ann_file}: segments'):
        raise InputError(
            f'{len(missing)} PNG files of segments are not in {os.path.abspath(folder)}: '
            f'{some(missing)}. mmdet looks for the name of the image, with .png in place of .jpg; '
            'put them there, or correct data_prefix.seg of the data set in the configuration.'
        )
    known = dict(_by_image(segments, categories, dataset.metainfo['classes']))
    sizes = zip(images['height'], images['width'], strict=True)
    rows = zip(images['id'], names, sizes, strict=True)
    count = len(dataset.metainfo['classes'])
    paths = ((os.path.join(folder, name), size, known.get(key, {})) for key, name, size in rows)
    return {path: partial(_look, path, size, said, count) for path, size, said in paths}


def _by_image(
    segments: Table, categories: Table, classes: Sequence[str]
) -> Iterator[tuple[int | str, dict[int, Segment]]]:
    """Yield the id of each image with segments, and these by their numbers."""
    names = dict(zip(categories['id'], categories['name'], strict=True))
    said: dict[int | str, dict[int, Segment]] = {}
    columns = (segments[key] for key in ('image_id', 'number', 'category_id', 'area'))
    for image, number, category, area in zip(*columns, strict=True):
        label = classes.index(names[category])
        said.setdefault(image, {})[number] = Segment(label, area)
    yield from said.items()


def _look(path: str, size: tuple, said: dict[int, Segment], classes: int) -> Look:
    """Compare a PNG file with what the JSON file says of its segments; count pixels by class."""
    try:
        colors = read_image(path)  # (H, W, 3) in BGR
    except UnreadableImage as error:
        return Look(str(error))
    if fault := coco.image_size_fault(size, colors.shape[:2]):
        return Look(f'segments in {path}: the image {fault}')
    numbers, areas = np.unique(to_ids(colors[..., ::-1]), return_counts=True)
    found = dict(zip(numbers.tolist(), areas.tolist(), strict=True))
    found.pop(VOID, None)
    if fault := _difference(found, said):
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
