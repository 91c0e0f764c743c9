"""Check a data set in COCO's panoptic format: its JSON file, and the PNG file of each image.

mmdet looks for a PNG file under the name of the image. A segment that it does not find there is one
without pixels, and pixels that the JSON file does not mention are ignored, both without a word.
"""

import os
from collections import defaultdict
from collections.abc import Callable
from functools import partial

import numpy as np

from ...errors import InputError
from ...utils.messages import some
from ..loading.coco_masks import VOID, to_ids
from ..loading.image_file import UnreadableImage, read_image
from ..loading.load_mask import BadMask
from . import coco
from .coco_file import COLUMNS, ID, Table, check_boxes, column, load_json, table
from .findings import Findings, Look, not_there, spread

SAMPLE = 50  # PNG files that are looked at before a run
CATEGORIES = COLUMNS['categories'] | {'isthing': (int, bool)}
ENTRIES = {'image_id': ID, 'segments_info': (list,)}
SEGMENTS = COLUMNS['annotations'] | {'number': (int,)}


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
    tables = _, segments, _ = read_panoptic(dataset.ann_file)
    findings = coco.check_tables(config, dataset, tables)
    if evaluated or config.get('test_mode'):
        coco.require_iscrowd(dataset.ann_file, segments)
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


def read_panoptic(ann_file: str) -> tuple[Table, Table, Table]:
    """Read the images, the segments of all images, and the categories of a file.

    The segments have the columns of annotations, so that the same checks fit. ``number`` is the one
    in the PNG file, ``id`` says it together with its image.

    Raises:
        InputError: the file is missing or damaged, or an entry has a value that cannot be used.
    """
    data = load_json(ann_file)
    images = table(ann_file, data, 'images', COLUMNS['images'])
    categories = table(ann_file, data, 'categories', CATEGORIES)
    entries = table(ann_file, data, 'annotations', ENTRIES, key='image_id')
    owners, infos = [], []
    for image, listed in zip(entries['image_id'], entries['segments_info'], strict=True):
        owners += [image] * len(listed)
        infos += listed
    numbers = column(ann_file, 'segments_info', infos, 'id', (int,))
    infos = [
        info | {'id': f'{number} of image {image}', 'number': number, 'image_id': image}
        for info, number, image in zip(infos, numbers, owners, strict=True)
    ]
    segments = table(ann_file, {'segments_info': infos}, 'segments_info', SEGMENTS)
    for key in ('iscrowd', 'ignore'):
        segments[key] = [info.get(key) for info in infos]
    check_boxes(ann_file, segments)
    return images, segments, categories


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
    labels = defaultdict(dict)  # {image: {number of a segment: label}}
    columns = (segments[key] for key in ('image_id', 'number', 'category_id'))
    for image, number, category in zip(*columns, strict=True):
        labels[image][number] = label_of[category]
    looks = {}
    sizes = zip(images['height'], images['width'], strict=True)
    for image, name, size in zip(images['id'], names, sizes, strict=True):
        path = os.path.join(folder, name)
        looks[path] = partial(_look, path, size, labels[image], len(classes))
    return looks


def _look(path: str, size: tuple, labels: dict[int, int], classes: int) -> Look:
    """Compare a PNG file with the segments in the JSON file; count pixels by class."""
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
    if found.keys() != labels.keys():
        drawn, listed = found.keys() - labels.keys(), labels.keys() - found.keys()
        return Look(
            f'segments in {path}: only the picture has {some(sorted(drawn)) or "none"}, only '
            f'segments_info of the JSON file has {some(sorted(listed)) or "none"}. Make them equal '
            '(is it a color picture, red first?)'
        )
    pixels = np.zeros(classes, int)
    for number, label in labels.items():
        pixels[label] += found[number]
    return Look(pixels=pixels)
