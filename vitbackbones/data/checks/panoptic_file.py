"""Read an annotation file in COCO's panoptic format: every value that mmdet reads is there."""

from ...errors import InputError
from ...utils.messages import some
from .coco_file import COLUMNS, ID, NUMBER, Table, check_boxes, column, load_json, table

ENTRIES = {'image_id': ID, 'segments_info': (list,)}
SEGMENTS = {'id': (int,), 'category_id': ID, 'bbox': (list,), 'area': NUMBER}
MOST = 2**24 - 1  # the largest number that three bytes of a color hold


def read_panoptic(ann_file: str) -> tuple[Table, Table, Table]:
    """Read the images, the segments of all images, and the categories of a file.

    The segments have the columns of annotations, so that what is checked of those can be checked of
    them. ``number`` is the one in the PNG file, ``id`` says it together with its image.

    Raises:
        InputError: the file is missing or damaged, or an entry has a value that cannot be used.
    """
    data = load_json(ann_file)
    images = table(ann_file, data, 'images', COLUMNS['images'])
    things = COLUMNS['categories'] | {'isthing': (int, bool)}
    categories = table(ann_file, data, 'categories', things)
    entries = table(ann_file, data, 'annotations', ENTRIES, key='image_id')
    keys = ('id', 'number', 'image_id', *SEGMENTS, 'iscrowd', 'ignore')
    segments: Table = {key: [] for key in keys}
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
    found |= {key: [info.get(key) for info in infos] for key in ('iscrowd', 'ignore')}
    names = [f'{number} of image {image}' for number in numbers]
    return found | {'id': names, 'number': numbers, 'image_id': [image] * len(infos)}
