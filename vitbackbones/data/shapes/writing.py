"""Shapes: a small synthetic dataset for every task.

Filled circles, squares (rectangles) and triangles of any pale color and size, a little tilted, lie
on a dark textured background with thin lines and partly hide each other. Color and place say
nothing about the class. The dataset is written in seconds and trains a small model in minutes, so
the whole way from images to COCO AP or mIoU can be run anywhere. Shapes are brighter than their
background because a small transformer without pretraining takes far longer to learn outlines of any
contrast.

=====================================  ============================================================
below ``annotations/``
=====================================  ============================================================
``instances_{train,val}.json``         boxes and masks of the visible shapes, in COCO's format
``panoptic_{train,val}.json``          COCO's panoptic format: the shapes are things, the background
``panoptic_{train,val}/*.png``         is stuff, the thin lines are void
``{train,val}/*.png``                  index masks
=====================================  ============================================================

Index masks are numbered as ADE20K's: 0 belongs to no class and is ignored (here the thin lines), 1
is the first class, the background, and the shapes follow. Read them with
``reduce_zero_label=True``.

    python -m vitbackbones.data.shapes data/shapes
    python -m vitbackbones.data.shapes data/shapes_folders --layout folders --size 64
"""

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from ...errors import InputError
from ...utils.files import read_json
from ..loading.coco_masks import VOID, box_around, to_colors, to_polygons
from .scene import KINDS, SPLITS, Scene, draw_scene

GROUND = 'ground'  # the class of pixels that no shape covers
MIN_SIZE = 32  # a smaller picture leaves shapes of a few pixels
DRAWING = 3  # raise it when files change: data written before are then replaced
RECIPE = 'shapes.json'  # in the data set's folder: what it was written from


def _write_split(root: Path, split: str, recipe: dict) -> None:
    """Write the pictures and PNG files of one split, then its two COCO annotation files."""
    annotations = root / 'annotations'
    images, masks, panoptic = root / 'images' / split, annotations / split, f'panoptic_{split}'
    for folder in (images, masks, annotations / panoptic):
        folder.mkdir(parents=True)
    listed, instances, segmented, classes = [], [], [], recipe['classes']
    for index in tqdm(range(recipe[split]), f'Shapes {split}', disable=not sys.stdout.isatty()):
        scene = draw_scene(index, split, recipe['seed'], recipe['size'])
        listed.append(_write_image(images, index, scene.image))
        mask = np.where(scene.clutter, 0, 1).astype(np.uint8)  # 2 is the first class
        for shape in scene.shapes:
            mask[shape.mask] = shape.kind % len(classes) + 2
            instances.append(
                {
                    'id': len(instances) + 1,
                    'image_id': index + 1,
                    'category_id': shape.kind % len(classes) + 1,
                    'bbox': _box(shape.mask),
                    'area': int(shape.mask.sum()),
                    'segmentation': to_polygons(shape.mask),
                    'iscrowd': 0,
                }
            )
        _write_png(masks, index, mask)
        ids, infos = segments(scene, classes)
        name = _write_png(annotations / panoptic, index, to_colors(ids)[..., ::-1])
        segmented.append({'image_id': index + 1, 'file_name': name, 'segments_info': infos})
    named = enumerate([*classes, *recipe['stuff']], start=1)
    categories = [{'id': i, 'name': name, 'isthing': int(i <= len(classes))} for i, name in named]
    things = [{'id': i, 'name': name} for i, name in enumerate(classes, start=1)]
    for file, entries, kinds in (
        (f'instances_{split}.json', instances, things),
        (f'{panoptic}.json', segmented, categories),
    ):
        content = {'images': listed, 'annotations': entries, 'categories': kinds}
        (annotations / file).write_text(json.dumps(content))


def _write_image(folder: Path, index: int, image: np.ndarray) -> dict:
    path = folder / f'{index:06d}.jpg'
    path.write_bytes(cv2.imencode('.jpg', image, [cv2.IMWRITE_JPEG_QUALITY, 95])[1])
    height, width = image.shape[:2]
    return {'id': index + 1, 'file_name': path.name, 'width': width, 'height': height}


def _write_png(folder: Path, index: int, pixels: np.ndarray) -> str:
    path = folder / f'{index:06d}.png'
    path.write_bytes(cv2.imencode('.png', pixels)[1])
    return path.name


def _box(mask: np.ndarray) -> list[int]:
    x, y, right, bottom = box_around(mask)
    return [x, y, right - x, bottom - y]


def segments(scene: Scene, classes: Sequence[str]) -> tuple[np.ndarray, list[dict]]:
    """Return the number of every pixel's segment (H, W), and what COCO says of each segment.

    The ground is stuff, and the lines on it are void. A picture that the shapes fill has no ground.
    """
    shapes = [shape.mask for shape in scene.shapes]
    ground = ~np.any([scene.clutter, *shapes], axis=0)
    categories = [shape.kind % len(classes) + 1 for shape in scene.shapes] + [len(classes) + 1]
    ids = np.full(scene.clutter.shape, VOID)
    infos = []
    for number, (mask, category) in enumerate(zip([*shapes, ground], categories, strict=True), 1):
        if mask.any():
            ids[mask] = number
            about = {'id': number, 'category_id': category, 'area': int(mask.sum())}
            infos.append(about | {'bbox': _box(mask), 'iscrowd': 0})
    return ids, infos


def _write_folders(root: Path, split: str, recipe: dict) -> None:
    """Write one split for classification: ``root/split/class/*.jpg``, one shape per picture."""
    folders = [root / split / name for name in recipe['classes']]
    for folder in folders:
        folder.mkdir(parents=True)
    for index in tqdm(range(recipe[split]), f'Shapes {split}', disable=not sys.stdout.isatty()):
        kind = index % len(KINDS)
        scene = draw_scene(index, split, recipe['seed'], recipe['size'], kind)
        _write_image(folders[kind % len(folders)], index, scene.image)


def _written_recipe(root: Path) -> dict | None:
    with suppress(OSError, ValueError):
        return read_json(root / RECIPE)
    return None


LAYOUTS = {'coco': _write_split, 'folders': _write_folders}


def _replace(root: Path, recipe: dict) -> None:
    """Write beside ``root``, then rename: ``root`` is the whole new dataset or what it was."""
    if root.exists() and _written_recipe(root) is None and any(root.iterdir()):
        raise InputError(f'{root} exists and is not a Shapes dataset; choose another folder.')
    root.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root.parent, prefix=f'.{root.name}-') as folder:
        new = Path(folder, 'new')
        new.mkdir()
        for split in SPLITS:
            LAYOUTS[recipe['layout']](new, split, recipe)
        (new / RECIPE).write_text(json.dumps(recipe))
        if _written_recipe(root) == recipe:  # another process was quicker
            return
        if root.exists():
            os.rename(root, Path(folder, 'old'))
        os.rename(new, root)


def write(
    root: str | Path,
    train: int = 2000,
    val: int = 500,
    size: int = 128,
    classes: Sequence[str] = KINDS,
    seed: int = 0,
    layout: str = 'coco',
    stuff: Sequence[str] = (GROUND,),
) -> Path:
    """Write the dataset, unless ``root`` already holds exactly it.

    For detection and segmentation the pictures go to ``root/images/{train,val}``, what is annotated
    on them to ``root/annotations`` (see the table above). For classification
    (``layout='folders'``) pictures of one shape each go to ``root/{train,val}/<class>``. Shapes of
    another recipe are replaced.

    Args:
        root: folder of the dataset.
        train, val: number of pictures of each split.
        size: side of the square pictures in pixels, 32 or more.
        classes: category names, with ids from 1. Kind k of a shape (circle, square, triangle)
            becomes category k modulo their number, so that any detector's class list will do.
            In masks the ground comes before them.
        seed: another seed gives other pictures.
        layout: ``'coco'`` or ``'folders'``.
        stuff: names of the panoptic categories after ``classes``. The first is the ground; nothing
            is drawn for the others, which a model of more stuff needs nevertheless.

    Returns:
        The absolute path of ``root``.

    Raises:
        InputError: ``root`` holds something else or cannot be written, or an option is wrong.
    """
    root = Path(root).resolve()
    recipe = {'train': train, 'val': val, 'size': size, 'classes': list(classes), 'seed': seed}
    recipe |= {'layout': layout, 'stuff': list(stuff), 'drawing': DRAWING}
    if min(train, val) < 1:
        raise InputError('Shapes: train and val must be at least 1 image.')
    if size < MIN_SIZE:
        raise InputError(f'Shapes: size is {size}, but it must be at least {MIN_SIZE} pixels.')
    if not classes or len(set(classes)) < len(classes):
        raise InputError('Shapes: classes must be one or more different names.')
    try:
        if _written_recipe(root) != recipe:
            _replace(root, recipe)
    except OSError as error:
        raise InputError(f'Shapes cannot be written to {root}: {error}.') from error
    return root
