"""Annotations in COCO's form, as :mod:`.pictures` has those of other forms."""

from ...errors import InputError
from ...utils.rules import is_number
from ..own.coco_folder import find_parts
from .pictures import Picture, open_picture
from .source import Source

KEPT = ('bbox', 'area', 'iscrowd', 'segmentation')


def read_coco(source: Source) -> tuple[list[Picture], list[str]]:
    """Read the annotation files below a folder, and the names of their classes, in their order."""
    parts, pictures, names = find_parts(source.root, ()), [], {}
    for split, part in parts.items():
        classes = {entry['id']: entry['name'] for entry in part.content['categories']}
        names |= dict.fromkeys(classes.values())
        objects: dict = {}
        for entry in part.content['annotations']:
            kept = {'iscrowd': 0, 'segmentation': []} | {k: entry[k] for k in KEPT if k in entry}
            box = kept.get('bbox')
            is_box = isinstance(box, list) and len(box) == 4 and all(map(is_number, box))
            if not is_box or entry['category_id'] not in classes:
                raise InputError(
                    f'{part.file}: annotation {entry["id"]} has no bbox of four numbers, or a '
                    'category_id that categories lack. Correct it.'
                )
            kept.setdefault('area', box[2] * box[3])
            named = {'name': classes[entry['category_id']], **kept}
            objects.setdefault(entry['image_id'], []).append(named)
        for image in part.content['images']:
            with source.listing_faults():
                picture = open_picture(source, part.images / image['file_name'])
                told = image.get('width'), image.get('height')
                if told != (picture.width, picture.height):
                    raise InputError(
                        f'{part.file}: says {told[0]} x {told[1]} pixels of {picture.path}, which '
                        f'has {picture.width} x {picture.height}. Correct the one or the other.'
                    )
                picture.split = split if len(parts) > 1 else None
                picture.objects = objects.get(image['id'], [])
                pictures.append(picture)
    return pictures, [*names]
