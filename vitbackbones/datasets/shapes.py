"""Shapes: a small data set that is drawn, not downloaded, for all three tasks.

Filled circles, squares (rectangles) and triangles of any pale color and size, a little tilted, lie
on a dark textured background with thin lines and partly hide each other. Color and place say
nothing about the class. It takes seconds to write and trains a small model in minutes, so that
the whole way from images to COCO AP or mIoU can be run anywhere. Shapes are brighter than their
ground because a small transformer without pretraining takes far longer to learn outlines of any
contrast.

Masks are numbered as ADE20K's: 0 is what belongs to no class and is ignored (here the thin lines),
1 is the first class, the ground, and the shapes follow. Read them with ``reduce_zero_label=True``.

Every picture has a random generator of its own, seeded with (seed, split, index): any subset
is the same pictures, and no picture of one split can be one of the other.

    python -m vitbackbones.datasets.shapes data/shapes
    python -m vitbackbones.datasets.shapes data/shapes_folders --layout folders --size 64
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from colorsys import hsv_to_rgb
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from ..errors import InputError

KINDS = ('circle', 'square', 'triangle')
GROUND = 'ground'  # the class of a mask's pixels that no shape covers
SPLITS = ('train', 'val')  # the position seeds the split
COUNTS = (1, 3)  # shapes per picture, from and to
RADII = (0.15, 0.28)  # of the circumscribed circle, in picture sides
MARGIN = 0.1  # between a shape's center and the edge, in picture sides
TILT = np.pi / 18  # most that a shape is turned, in radians
VISIBLE = 0.8  # of a shape's area that must stay in view
CONTRAST = 80  # least distance in BGR between a shape and the ground under it
SUBPIXEL = 4  # fractional bits of cv2's polygon corners
MIN_SIZE = 32  # a smaller picture leaves shapes of a few pixels
DRAWING = 2  # raise it when files change: data written before are then replaced
RECIPE = 'shapes.json'  # in the data set's folder: what it was written from


@dataclass
class Shape:
    """One shape: ``kind`` indexes KINDS, ``corners`` (K, 2) are x, y, ``mask`` (H, W) is bool.

    The mask is the part in view: inside the picture and not hidden by a later shape.
    """

    kind: int
    corners: np.ndarray
    mask: np.ndarray


@dataclass
class Scene:
    """A picture (H, W, 3) in uint8 BGR and its shapes, the hindmost first.

    ``clutter`` (H, W) is bool: the part in view of the lines on the ground.
    """

    image: np.ndarray
    clutter: np.ndarray
    shapes: list[Shape]


# ---------------------------------------------------------------------------- drawing


def _corners(kind: int, radius: float, rng: np.random.Generator) -> np.ndarray:
    """Draw corners (K, 2) around the origin, at most ``radius`` away from it, a little tilted."""
    if KINDS[kind] == 'circle':
        angles = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    elif KINDS[kind] == 'square':
        half = np.pi * rng.uniform(0.19, 0.31)  # between the diagonals: sides up to 1 : 1.5
        angles = np.array([-half, half, np.pi - half, np.pi + half])
    else:
        angles = 2 * np.pi * (np.arange(3) + rng.uniform(-0.12, 0.12, 3)) / 3 - np.pi / 2
    angles = angles + rng.uniform(-TILT, TILT)
    return radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _ground(size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw a dark background (H, W, 3) of two scales of faint color, and its thin lines (H, W)."""
    ground = np.full((size, size, 3), rng.integers(10, 60), np.float32)
    for cells, strength in ((3, 15), (size // 6, 10)):
        texture = rng.uniform(-strength, strength, (cells, cells, 3)).astype(np.float32)
        ground += cv2.resize(texture, (size, size), interpolation=cv2.INTER_CUBIC)
    ground = ground.clip(0, 255).astype(np.uint8)
    lines = np.zeros((size, size), np.uint8)
    for _ in range(rng.integers(0, 3)):
        start, end = rng.integers(0, size, (2, 2)).tolist()
        cv2.line(ground, start, end, _color(rng), 1, cv2.LINE_AA)
        cv2.line(lines, start, end, 255, 1, cv2.LINE_AA)
    return ground, lines > 0


def _color(rng: np.random.Generator) -> tuple[int, ...]:
    """Draw a pale color of any hue."""
    hue, saturation, value = rng.uniform((0, 0, 0.75), (1, 0.6, 1))
    return tuple(round(255 * part) for part in hsv_to_rgb(hue, saturation, value))


def _fill(image: np.ndarray, corners: np.ndarray, color, line: int = cv2.LINE_AA) -> np.ndarray:
    fixed = np.round(corners * 2**SUBPIXEL).astype(np.int32)
    return cv2.fillPoly(image, [fixed], color, line, SUBPIXEL)


def _paint(image: np.ndarray, shape: Shape, rng: np.random.Generator) -> None:
    """Fill the shape with a color that stands out from the picture around it."""
    ground = image[shape.mask].mean(axis=0)
    color = _color(rng)
    while np.linalg.norm(ground - color) < CONTRAST:
        color = _color(rng)
    _fill(image, shape.corners, color)


# ---------------------------------------------------------------------------- a scene


def _candidate(size: int, rng: np.random.Generator, kind: int | None) -> Shape:
    radius = size * rng.uniform(*RADII)
    any_kind = int(rng.integers(len(KINDS)))
    kind = any_kind if kind is None else kind
    center = size * rng.uniform(MARGIN, 1 - MARGIN, 2)
    corners = _corners(kind, radius, rng) + center
    mask = _fill(np.zeros((size, size), np.uint8), corners, 1, cv2.LINE_8).astype(bool)
    return Shape(kind, corners, mask)


def _fits(shape: Shape, earlier: list[Shape]) -> bool:
    """Return whether enough of the new shape and of all it covers stays in view."""
    whole = [(shape, shape.mask)] + [(other, other.mask & ~shape.mask) for other in earlier]
    return all(
        mask.sum() >= VISIBLE * cv2.contourArea(other.corners.astype(np.float32))
        for other, mask in whole
    )


def draw_scene(
    index: int, split: str = 'train', seed: int = 0, size: int = 128, kind: int | None = None
) -> Scene:
    """Draw picture ``index`` of a split: the same arguments give the same picture.

    Returns:
        Scene with an image of (size, size, 3) and as many shapes as COUNTS says; with one shape if
        its ``kind`` is given.
    """
    rng = np.random.default_rng((seed, SPLITS.index(split), index))
    scene = Scene(*_ground(size, rng), [])
    count = rng.integers(COUNTS[0], COUNTS[1] + 1) if kind is None else 1
    while len(scene.shapes) < count:
        shape = _candidate(size, rng, kind)
        if not _fits(shape, scene.shapes):
            continue
        _paint(scene.image, shape, rng)
        for behind in (scene.clutter, *(other.mask for other in scene.shapes)):
            behind &= ~shape.mask
        scene.shapes.append(shape)
    noise = rng.integers(-14, 15, scene.image.shape, np.int16)
    scene.image = (scene.image + noise).clip(0, 255).astype(np.uint8)
    return scene


# ---------------------------------------------------------------------------- the COCO view


def _polygons(mask: np.ndarray) -> list[list[float]]:
    """Trace a mask (H, W) as COCO polygons [x, y, x, y, ...]; holes are filled, as in COCO.

    Traced at twice the size, because a contour runs through the centers of the outermost pixels.
    """
    double = mask.astype(np.uint8).repeat(2, axis=0).repeat(2, axis=1)  # (2H, 2W)
    outlines, _ = cv2.findContours(double, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    outlines = [cv2.approxPolyDP(outline, 1.5, closed=True) for outline in outlines]
    return [((line + 0.5) / 2).ravel().tolist() for line in outlines if len(line) > 2]


def _annotation(shape: Shape, classes: Sequence[str]) -> dict:
    rows, columns = np.flatnonzero(shape.mask.any(1)), np.flatnonzero(shape.mask.any(0))
    x, y = int(columns[0]), int(rows[0])
    return {
        'category_id': shape.kind % len(classes) + 1,
        'bbox': [x, y, int(columns[-1]) + 1 - x, int(rows[-1]) + 1 - y],
        'area': int(shape.mask.sum()),
        'segmentation': _polygons(shape.mask),
        'iscrowd': 0,
    }


def _write_image(folder: Path, index: int, image: np.ndarray) -> dict:
    path = folder / f'{index:06d}.jpg'
    path.write_bytes(cv2.imencode('.jpg', image, [cv2.IMWRITE_JPEG_QUALITY, 95])[1])
    height, width = image.shape[:2]
    return {'id': index + 1, 'file_name': path.name, 'width': width, 'height': height}


# ---------------------------------------------------------------------------- the ADE20K view


def index_mask(scene: Scene, classes: Sequence[str] = KINDS) -> np.ndarray:
    """Return a mask (H, W) in uint8: 0 clutter, 1 ground, 2 the first of ``classes``, ..."""
    mask = np.where(scene.clutter, 0, 1).astype(np.uint8)
    for shape in scene.shapes:
        mask[shape.mask] = shape.kind % len(classes) + 2
    return mask


# ---------------------------------------------------------------------------- writing


def _write_split(root: Path, split: str, recipe: dict) -> None:
    """Write the pictures and masks of one split, then its COCO annotation file."""
    folder, masks = root / 'images' / split, root / 'annotations' / split
    folder.mkdir(parents=True)
    masks.mkdir(parents=True)
    images, annotations, classes = [], [], recipe['classes']
    for index in tqdm(range(recipe[split]), f'Shapes {split}', disable=not sys.stdout.isatty()):
        scene = draw_scene(index, split, recipe['seed'], recipe['size'])
        images.append(_write_image(folder, index, scene.image))
        mask = cv2.imencode('.png', index_mask(scene, classes))[1]
        (masks / f'{index:06d}.png').write_bytes(mask)
        for shape in scene.shapes:
            ids = {'id': len(annotations) + 1, 'image_id': index + 1}
            annotations.append(ids | _annotation(shape, classes))
    categories = [{'id': i, 'name': name} for i, name in enumerate(classes, start=1)]
    content = {'images': images, 'annotations': annotations, 'categories': categories}
    (root / 'annotations' / f'instances_{split}.json').write_text(json.dumps(content))


# ---------------------------------------------------------------------------- the folder view


def _write_folders(root: Path, split: str, recipe: dict) -> None:
    """Write one split for classification: ``root/split/class/*.jpg``, one shape per picture."""
    folders = [root / split / name for name in recipe['classes']]
    for folder in folders:
        folder.mkdir(parents=True)
    for index in tqdm(range(recipe[split]), f'Shapes {split}', disable=not sys.stdout.isatty()):
        kind = index % len(KINDS)
        scene = draw_scene(index, split, recipe['seed'], recipe['size'], kind)
        _write_image(folders[kind % len(folders)], index, scene.image)


# ---------------------------------------------------------------------------- writing


def _check(recipe: dict) -> None:
    if min(recipe['train'], recipe['val']) < 1:
        raise InputError('Shapes: train and val must be at least 1 picture.')
    if recipe['size'] < MIN_SIZE:
        raise InputError(f'Shapes: size is {recipe["size"]}, must be at least {MIN_SIZE} pixels.')
    if not recipe['classes'] or len(set(recipe['classes'])) < len(recipe['classes']):
        raise InputError('Shapes: classes must be one or more different names.')


def _written_recipe(root: Path) -> dict | None:
    with suppress(OSError, ValueError):
        return json.loads((root / RECIPE).read_text())
    return None


LAYOUTS = {'coco': _write_split, 'folders': _write_folders}


def _write_all(root: Path, recipe: dict) -> None:
    root.mkdir()
    for split in SPLITS:
        LAYOUTS[recipe['layout']](root, split, recipe)
    (root / RECIPE).write_text(json.dumps(recipe))


def _replace(root: Path, recipe: dict) -> None:
    """Write beside ``root``, then rename: ``root`` is the whole new data set or what it was."""
    if root.exists() and _written_recipe(root) is None and any(root.iterdir()):
        raise InputError(f'{root} exists and is not a Shapes data set; choose another folder.')
    root.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root.parent, prefix=f'.{root.name}-') as folder:
        _write_all(Path(folder, 'new'), recipe)
        if _written_recipe(root) == recipe:  # another process was quicker
            return
        if root.exists():
            os.rename(root, Path(folder, 'old'))
        os.rename(Path(folder, 'new'), root)


def write(
    root: str | Path,
    train: int = 2000,
    val: int = 500,
    size: int = 128,
    classes: Sequence[str] = KINDS,
    seed: int = 0,
    layout: str = 'coco',
) -> Path:
    """Write the data set, unless ``root`` already holds exactly it.

    For detection (COCO's format) and segmentation (ADE20K's) the pictures go to
    ``root/images/{train,val}``, boxes and polygons to
    ``root/annotations/instances_{train,val}.json``, masks to ``root/annotations/{train,val}``
    under the pictures' names. For classification (``layout='folders'``) pictures of one shape
    each go to ``root/{train,val}/<class>``. Shapes of another recipe are replaced.

    Args:
        root: folder of the data set.
        train, val: number of pictures of each split.
        size: side of the square pictures in pixels, 32 or more.
        classes: category names, with ids from 1. Kind k of a shape (circle, square, triangle)
            becomes category k modulo their number, so that any detector's class list will do.
            In masks the ground comes before them.
        seed: another seed gives other pictures.
        layout: ``'coco'`` or ``'folders'``.

    Returns:
        The absolute path of ``root``.

    Raises:
        InputError: ``root`` holds something else or cannot be written, or an option is wrong.
    """
    root = Path(root).resolve()
    recipe = {'train': train, 'val': val, 'size': size, 'classes': list(classes), 'seed': seed}
    recipe |= {'layout': layout, 'drawing': DRAWING}
    _check(recipe)
    try:
        if _written_recipe(root) != recipe:
            _replace(root, recipe)
    except OSError as error:
        raise InputError(f'Shapes cannot be written to {root}: {error}.') from error
    return root


# ---------------------------------------------------------------------------- command line


def main() -> None:
    parser = argparse.ArgumentParser(
        prog='python -m vitbackbones.datasets.shapes', description='Write the Shapes data set.'
    )
    parser.add_argument('root', help='folder to write, for example data/shapes')
    parser.add_argument('--train', type=int, default=2000, help='training pictures (%(default)s)')
    parser.add_argument('--val', type=int, default=500, help='held-out pictures (%(default)s)')
    parser.add_argument('--size', type=int, default=128, help='side in pixels (%(default)s)')
    parser.add_argument('--classes', nargs='+', default=KINDS, help='category names')
    parser.add_argument('--seed', type=int, default=0, help='of all pictures (%(default)s)')
    parser.add_argument('--layout', choices=LAYOUTS, default='coco', help='default: %(default)s')
    options = parser.parse_args()
    try:
        root = write(**vars(options))
    except InputError as error:
        parser.exit(2, f'error: {error}\n')
    print(f'{options.train} + {options.val} pictures of {options.size} pixels in {root}')


if __name__ == '__main__':
    main()
