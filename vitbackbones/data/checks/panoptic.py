"""Check a dataset in COCO's panoptic format: its JSON file, and the PNG file of each image.

mmdet looks for a PNG file under the name of the image. A segment that it does not find there is one
without pixels, and pixels that the JSON file does not mention are ignored, both without a word.
"""

import os
from collections import defaultdict

import numpy as np

from ...errors import InputError
from ...utils.messages import some
from ..loading.coco_masks import VOID, to_ids
from ..loading.image_file import read_image
from . import coco
from .coco_file import COLUMNS, ID, Table, check_boxes, column, load_json, table
from .findings import Findings, require_there, spread

SAMPLE = 50  # PNG files that are looked at before a run
CATEGORIES = COLUMNS['categories'] | {'isthing': (int, bool)}
ENTRIES = {'image_id': ID, 'segments_info': (list,)}
SEGMENTS = COLUMNS['annotations'] | {'number': (int,)}


def check_dataset(config: dict, evaluated: bool = False) -> Findings:
    """Look into the files of a dataset of mmdet.

    Args:
        config: its settings.
        evaluated: whether panoptic quality is measured on it.

    Raises:
        InputError: the run cannot work with this dataset.
    """
    if config.get('backend_args'):
        return Findings()
    dataset = coco.unloaded(config)
    tables = images, segments, _ = read_panoptic(dataset.ann_file)
    findings = coco.check_tables(config, dataset, tables)
    if evaluated or config.get('test_mode'):
        coco.require_iscrowd(dataset.ann_file, segments)
    _check_pictures(dataset, images, segments)
    return findings


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
    if set(map(type, infos)) - {dict}:
        raise InputError(f"{ann_file}: 'segments_info' of an annotation is not a list of objects.")
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


def _check_pictures(dataset, images: Table, segments: Table) -> None:
    """Require all PNG files, and that some of them show the segments that the JSON file has."""
    folder = dataset.data_prefix.get('seg')
    if not folder:
        raise InputError(
            f'the dataset of {dataset.ann_file} requires data_prefix=dict(img=..., seg=...): the '
            'folders of its images and of the PNG files of their segments, relative to data_root.'
        )
    names = [name.replace('.jpg', '.png') for name in images['file_name']]
    remedy = (
        'mmdet looks for the name of the image, with .png instead of .jpg. Put the files there, '
        'or correct data_prefix.seg of the dataset in the config.'
    )
    require_there(folder, names, 'PNG files of segments', remedy)
    numbers = defaultdict(set)  # of the segments of each image
    for image, number in zip(segments['image_id'], segments['number'], strict=True):
        numbers[image].add(number)
    for row in spread(len(names), SAMPLE):
        path = os.path.join(folder, names[row])
        colors = read_image(path)  # (H, W, 3) in BGR
        size = images['height'][row], images['width'][row]
        if fault := coco.image_size_fault(size, colors.shape[:2]):
            raise InputError(f'segments in {path}: the image {fault}')
        drawn = {*np.unique(to_ids(colors[..., ::-1])).tolist()} - {VOID}
        listed = numbers[images['id'][row]]
        if drawn != listed:
            extra, absent = (some(sorted(part)) for part in (drawn - listed, listed - drawn))
            raise InputError(
                f'segments in {path}: ids only in the image: {extra or "none"}; ids only in '
                f'segments_info of the JSON file: {absent or "none"}. Make them match (is it a '
                'color image, in RGB order?)'
            )
