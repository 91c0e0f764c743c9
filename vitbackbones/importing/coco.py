"""Annotated pictures as a folder in COCO's format, the pictures as links or copies."""

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from .boxes import polygon_area
from .pictures import Picture

FILE = 'annotations/instances{}.json'  # with the split in it, where there are several


def write_coco(out: Path, pictures: Sequence[Picture], classes: Sequence[str], copy: bool) -> None:
    """Write annotation files and pictures below an empty folder.

    Args:
        out: the folder.
        pictures: all of them.
        classes: the names of all objects, in the order of their numbers.
        copy: copy the pictures; otherwise they are links to the files.
    """
    names = short_names([picture.path for picture in pictures])
    for picture, name in zip(pictures, names, strict=True):
        place(picture.path, out / 'images' / name, copy)
    (out / 'annotations').mkdir()
    for split in dict.fromkeys(picture.split for picture in pictures):
        rows = [(p, n) for p, n in zip(pictures, names, strict=True) if p.split == split]
        file = out / FILE.format(f'_{split}' if split else '')
        file.write_text(json.dumps(_content(rows, classes)), 'utf-8')


def short_names(files: Sequence[Path]) -> list[str]:
    """Return paths relative to the deepest folder that has all files; no two are the same."""
    common = os.path.commonpath([file.parent for file in files])
    return [file.relative_to(common).as_posix() for file in files]


def place(file: Path, target: Path, copy: bool) -> None:
    """Copy or link a file."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if copy:
        shutil.copyfile(file, target)
    else:
        target.symlink_to(file.resolve())


def _content(rows: Sequence[tuple[Picture, str]], classes: Sequence[str]) -> dict:
    numbers = {name: number for number, name in enumerate(classes, 1)}
    annotations = []
    for key, (picture, _) in enumerate(rows, 1):
        for thing in picture.things:
            outline, (_, _, width, height) = list(thing.polygon), thing.box
            annotations.append(
                {
                    'id': len(annotations) + 1,
                    'image_id': key,
                    'category_id': numbers[thing.name],
                    'bbox': list(thing.box),
                    'area': polygon_area(outline) if outline else width * height,
                    'iscrowd': int(thing.crowd),
                    'segmentation': [outline] if outline else [],
                }
            )
    images = [
        {'id': key, 'file_name': name, 'width': picture.width, 'height': picture.height}
        for key, (picture, name) in enumerate(rows, 1)
    ]
    categories = [{'id': number, 'name': name} for name, number in numbers.items()]
    return {'images': images, 'annotations': annotations, 'categories': categories}
