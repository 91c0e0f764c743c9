"""Mosaics of Tiny-ImageNet's images with boxes in COCO format, to pretrain a detector on.

    python -m benchmarks.mosaics TINY_IMAGENET OUT
    vitbackbones train quick_detector_pretrain --data-root OUT

A square is divided at random into tiles of about 25 to 240 pixels, and each tile shows one image of
Tiny-ImageNet (``*_boxes.txt`` and ``val_annotations.txt`` have a box for each). So a detector sees
objects of all sizes beside each other, with the true edges of each object, although no image has
more than 64 x 64 pixels. Each image is used once before any is used twice. The same seed gives the
same files.
"""

import json
import random
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from vitbackbones.commands.cli import count
from vitbackbones.commands.ending import run
from vitbackbones.errors import InputError
from vitbackbones.utils.files import whole_folder

SIDE = 320  # pixels of a mosaic
LARGEST = 240  # pixels of the longer side of a tile
SMALLEST = 72  # a tile whose longer side is below is not divided any more
THINNEST = 2.2  # ratio of the sides of a tile
CUTS = (0.35, 0.65)  # part of a tile where it is divided
LEAST = 4  # pixels of a box that is worth finding


class Labeled(NamedTuple):
    """An image of Tiny-ImageNet, its class, and the box (x0, y0, x1, y1) of its object, pixels."""

    file: Path
    label: int
    box: tuple[int, int, int, int]


class Tile(NamedTuple):
    """A part of a mosaic, in pixels."""

    x: int
    y: int
    width: int
    height: int


def read_boxes(root: Path) -> tuple[list[str], dict[str, list[Labeled]]]:
    """Return the names of the classes, and the images of 'train' and 'val' with their boxes.

    Raises:
        InputError: files with boxes do not exist, or a line of one cannot be read.
    """
    lists = sorted(root.glob('train/*/*_boxes.txt'))
    val_list = root / 'val' / 'val_annotations.txt'
    if not lists or not val_list.is_file():
        absent = val_list if lists else root / 'train' / 'CLASS' / 'CLASS_boxes.txt'
        raise InputError(
            f'{absent}: does not exist. Give the folder of Tiny-ImageNet in its original layout '
            '(often called tiny-imagenet-200)'
        )
    classes = [file.parent.name for file in lists]
    train = [
        image for file in lists for image in read_list(file, classes, class_of_all=file.parent.name)
    ]
    return classes, {'train': train, 'val': read_list(val_list, classes)}


def read_list(file: Path, classes: list[str], class_of_all: str | None = None) -> list[Labeled]:
    """Read lines of a file name, the class unless all have one, and the corners of a box.

    Raises:
        InputError: a line is something else.
    """
    images = []
    for number, line in enumerate(file.read_text().splitlines(), 1):
        name, *rest = line.split('\t')
        try:
            label = classes.index(class_of_all or rest.pop(0))
            x0, y0, x1, y1 = map(int, rest)
        except (ValueError, IndexError):
            what = 'a file name, ' if class_of_all else 'a file name, a class, '
            raise InputError(
                f'{file}: line {number} must be {what}and four integers, with tabs between them: '
                f'{line[:60]!r}'
            ) from None
        box = (x0, y0, x1 + 1, y1 + 1)
        images.append(Labeled(file.parent / 'images' / name, label, box))
    return images


def tiles(whole: Tile, draw: random.Random) -> Iterator[Tile]:
    """Divide a tile at random until all parts are small enough."""
    longer = max(whole.width, whole.height)
    chance = 0.25 if longer > LARGEST / 2 else 0.5
    enough = longer <= SMALLEST or (longer <= LARGEST and draw.random() < chance)
    if enough and longer < THINNEST * min(whole.width, whole.height):
        yield whole
        return
    part = round(longer * draw.uniform(*CUTS))
    x, y, width, height = whole
    if width >= height:
        yield from tiles(Tile(x, y, part, height), draw)
        yield from tiles(Tile(x + part, y, width - part, height), draw)
    else:
        yield from tiles(Tile(x, y, width, part), draw)
        yield from tiles(Tile(x, y + part, width, height - part), draw)


def place(canvas: Image.Image, tile: Tile, image: Labeled) -> list[float]:
    """Fill a tile with the part of an image around its object; return the box (x, y, w, h)."""
    with Image.open(image.file) as opened:
        content = opened.convert('RGB')
    scale = max(tile.width / content.width, tile.height / content.height)
    size = (
        max(round(content.width * scale), tile.width),
        max(round(content.height * scale), tile.height),
    )
    x0, y0, x1, y1 = (scale * corner for corner in image.box)
    left = int(min(max((x0 + x1 - tile.width) / 2, 0), size[0] - tile.width))
    top = int(min(max((y0 + y1 - tile.height) / 2, 0), size[1] - tile.height))
    window = (left, top, left + tile.width, top + tile.height)
    canvas.paste(content.resize(size, Image.Resampling.BICUBIC).crop(window), (tile.x, tile.y))
    x0, x1 = (min(max(x - left, 0), tile.width) for x in (x0, x1))
    y0, y1 = (min(max(y - top, 0), tile.height) for y in (y0, y1))
    return [round(value, 1) for value in (tile.x + x0, tile.y + y0, x1 - x0, y1 - y0)]


def in_turns(images: list[Labeled], draw: random.Random) -> Iterator[Labeled]:
    """Yield all images in a random order, then again in another one, without an end."""
    while True:
        yield from draw.sample(images, len(images))


def draw_split(
    folder: Path, split: str, images: list[Labeled], classes: list[str], count: int, seed: int
) -> None:
    """Write ``count`` mosaics and their boxes, ``SPLIT/*.jpg`` and ``SPLIT.json``."""
    draw = random.Random(f'{split} {seed}')
    chosen = in_turns(images, draw)
    (folder / split).mkdir()
    records = []
    anns = []
    for number in range(count):
        canvas = Image.new('RGB', (SIDE, SIDE))
        for tile in tiles(Tile(0, 0, SIDE, SIDE), draw):
            image = next(chosen)
            box = place(canvas, tile, image)
            if min(box[2:]) >= LEAST:
                ann = {'id': len(anns) + 1, 'image_id': number, 'category_id': image.label}
                anns.append({**ann, 'bbox': box, 'area': box[2] * box[3], 'iscrowd': 0})
        name = f'{number:06d}.jpg'
        canvas.save(folder / split / name, quality=90)
        records.append({'id': number, 'file_name': name, 'width': SIDE, 'height': SIDE})
    categories = [{'id': label, 'name': name} for label, name in enumerate(classes)]
    content = {'images': records, 'annotations': anns, 'categories': categories}
    (folder / f'{split}.json').write_text(json.dumps(content))
    print(f'{split}: {len(records)} mosaics with {len(anns)} objects of {len(classes)} classes')


def write(root: Path, out: Path, train: int, val: int, seed: int) -> None:
    """Write mosaics of the training images, and others of the validation images.

    Raises:
        InputError: as :func:`read_boxes`, or the folder already exists.
    """
    if out.exists():
        raise InputError(f'{out}: already exists; choose another folder')
    classes, images = read_boxes(root)
    with whole_folder(out.absolute(), 'OUT') as folder:
        for split, number in (('train', train), ('val', val)):
            draw_split(folder, split, images[split], classes, number, seed)


def main() -> None:
    """Do what the command line says."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    add = parser.add_argument
    add('root', type=Path, metavar='TINY_IMAGENET')
    add('out', type=Path, metavar='OUT')
    add('--train', type=count, default=8000, metavar='N', help='mosaics (default: 8000)')
    add('--val', type=count, default=200, metavar='N', help='mosaics (default: 200)')
    add('--seed', type=int, default=0, help='of all that is drawn (default: 0)')
    options = parser.parse_args()
    sys.exit(
        run(lambda: write(options.root, options.out, options.train, options.val, options.seed))
    )


if __name__ == '__main__':
    main()
