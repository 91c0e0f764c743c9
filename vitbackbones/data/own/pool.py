"""All labeled pictures of a folder, whatever their split, and parts of them as folders to train on.

What is written has layouts that ``--data-root`` knows: annotations in COCO's format, or VOC's lists
of masks, and links to the pictures.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from ...errors import InputError
from ...utils.files import write_if_changed
from .coco_folder import completed, find_classes, find_parts, of_pictures
from .mask_folder import find_mask_parts
from .numbering import file_of_names, find_numbering
from .pairing import Patterns


@dataclass
class Pool:
    """The pictures of a folder and their labels.

    Attributes:
        root: the folder.
        files, splits: of each picture; None where the folder names no split.
        classes: their names, from 0.
        content: boxes, in COCO's format: ids of pictures are their numbers, those of categories go
            from 0, and annotations keep the id of their file as ``label_id``. None for masks.
        masks: the mask of each picture; [] for boxes.
        values: of the classes in masks.
        outlined: whether each annotation has polygons, which are audited.
    """

    root: Path
    files: list[Path]
    splits: list[str | None]
    classes: list[str]
    content: dict | None = None
    masks: list[Path] = field(default_factory=list)
    values: Sequence[int] = ()
    outlined: bool = False

    def __post_init__(self) -> None:
        for file in (*self.files, *self.masks):
            if file.exists() and not file.is_file():  # a pipe is read forever
                raise InputError(f'{file}: not a regular file. Replace it with a good copy.')

    @cached_property
    def labels(self) -> dict[int, list[dict]]:
        """The annotations of each picture; none of masks."""
        by_picture = {row: [] for row in range(len(self.files))}
        for ann in self.content['annotations'] if self.content else ():
            by_picture[ann['image_id']].append(ann)
        return by_picture

    def digest(self, row: int) -> str:
        """Return a digest of the labels of a picture."""
        if self.content is None:
            return sha256(self.masks[row].read_bytes()).hexdigest()
        known = sorted([each['category_id'], *each['bbox']] for each in self.labels[row])
        return sha256(json.dumps([self.classes, known]).encode()).hexdigest()

    def rarest(self) -> list[int]:
        """Return, for each picture, which of its classes fewest pictures have; -1 without any."""
        classes = [{each['category_id'] for each in own} for own in self.labels.values()]
        counts = Counter(key for own in classes for key in own)
        return [min(own, key=lambda key: (counts[key], key), default=-1) for own in classes]

    def link(self, folder: Path) -> None:
        """Write links to the pictures, and to their masks, by number; readers go by content."""
        for name, files in (('images', self.files), ('masks', self.masks)):
            for row, file in enumerate(files):
                link = folder / name / f'{row:06}.png'
                link.parent.mkdir(parents=True, exist_ok=True)
                if not link.is_symlink():
                    link.symlink_to(file.resolve())

    def write_part(self, folder: Path, linked: Path, rows: dict[str, Sequence[int]]) -> None:
        """Write a folder that trains and validates on some pictures, ``'train'`` and ``'val'``."""
        (folder / 'annotations').mkdir(parents=True, exist_ok=True)
        for name in ('images', 'masks'):
            if (linked / name).is_dir() and not (folder / name).is_symlink():
                (folder / name).symlink_to((linked / name).resolve())
        if self.masks and (file := file_of_names(self.root, self.masks)):
            write_if_changed(folder / file.name, file.read_bytes())
        for split, numbers in rows.items():
            if self.content is None:
                file = folder / 'ImageSets' / 'Segmentation' / f'{split}.txt'
                write_if_changed(file, ''.join(f'{row:06}\n' for row in numbers).encode())
                continue
            file = folder / 'annotations' / f'instances_{split}.json'
            write_if_changed(file, json.dumps(of_pictures(self.content, {*numbers})).encode())


def find_pool(
    root: Path, annotations: Sequence[str] = (), patterns: Patterns | None = None
) -> Pool:
    """Return what a folder holds: annotations in COCO's format, or else pictures and masks.

    ``annotations`` are those of :func:`.annotation_files.find_files`; ``patterns`` name pictures
    and masks.

    Raises:
        InputError: it has neither.
    """
    faults = []
    if not patterns:
        try:
            return _boxes(root, find_parts(root, (), annotations))
        except InputError as error:
            faults.append(str(error))
    try:
        parts = find_mask_parts(root, (), patterns)
    except InputError as error:
        texts = dict.fromkeys([*faults, str(error)])  # one where both say the same
        raise InputError(' '.join(texts)) from None
    pairs = [pair for part in parts.values() for pair in part.pairs()]
    files, masks = (list(each) for each in zip(*pairs, strict=True))
    unsplit = parts.keys() == {'test'}
    splits = [None if unsplit else split for split, part in parts.items() for _ in part.files]
    numbering = find_numbering(root, masks)
    values = numbering.values or range(numbering.from_one, 256)
    return Pool(root, files, splits, numbering.classes, masks=masks, values=values)


def _boxes(root: Path, parts: dict) -> Pool:
    classes = find_classes(parts)
    images, boxes, files, splits = [], [], [], []
    for split, part in parts.items():
        content = completed(part.content, classes)
        names = {category['id']: category['name'] for category in content['categories']}
        rows = {each['id']: len(files) + row for row, each in enumerate(content['images'])}
        for img in content['images']:
            row = rows[img['id']]
            images.append({**img, 'id': row, 'file_name': f'{row:06}.png'})
            files.append(part.images / img['file_name'])
            splits.append(None if parts.keys() == {'test'} else split)
        ids = [ann['id'] for ann in part.content['annotations']]
        for key, entry in zip(ids, content['annotations'], strict=True):
            category = classes.index(names[entry['category_id']])
            own = {'id': len(boxes) + 1, 'label_id': key, 'image_id': rows[entry['image_id']]}
            boxes.append({'segmentation': [], **entry, **own, 'category_id': category})
    categories = [{'id': row, 'name': name} for row, name in enumerate(classes)]
    content = {'images': images, 'annotations': boxes, 'categories': categories}
    return Pool(root, files, splits, classes, content)
