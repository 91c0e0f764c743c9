"""Mosaics of small images with boxes: what is drawn, and where its objects are."""

import json
import random

import numpy as np
import pytest
from PIL import Image

from benchmarks import mosaics
from vitbackbones.errors import InputError

COLORS = ((250, 0, 0), (0, 250, 0), (0, 0, 250))


@pytest.fixture
def root(tmp_path):
    return write_root(tmp_path / 'tiny')


def write_root(tiny):
    """Write three classes of twenty images: a square of the color of its class on gray."""
    draw = random.Random(0)
    for folder in ('train/n00', 'train/n01', 'train/n02', 'val'):
        (tiny / folder / 'images').mkdir(parents=True)
    val = []
    for label, color in enumerate(COLORS):
        folder = tiny / 'train' / f'n0{label}'
        boxes = [draw_square(folder / f'images/{number}.JPEG', color, draw) for number in range(20)]
        lines = [f'{number}.JPEG\t{box}\n' for number, box in enumerate(boxes)]
        (folder / f'n0{label}_boxes.txt').write_text(''.join(lines))
        for number in range(label, 60, 3):
            box = draw_square(tiny / f'val/images/val_{number}.JPEG', color, draw)
            val.append(f'val_{number}.JPEG\tn0{label}\t{box}\n')
    (tiny / 'val/val_annotations.txt').write_text(''.join(val))
    return tiny


def draw_square(file, color, draw):
    """Return its corners as Tiny-ImageNet's lists have them: the last pixels are inside."""
    x, y, side = (draw.randint(*limits) for limits in ((0, 30), (0, 30), (12, 33)))
    image = Image.new('RGB', (64, 64), (128, 128, 128))
    image.paste(color, (x, y, x + side, y + side))
    image.save(file, quality=95)
    return f'{x}\t{y}\t{x + side - 1}\t{y + side - 1}'


@pytest.mark.parametrize('split', ['train', 'val'])
def test_each_box_is_around_an_object_of_its_class(root, tmp_path, split):
    mosaics.write(root, tmp_path / 'out', train=6, val=6, seed=0)
    content = json.loads((tmp_path / f'out/{split}.json').read_text())
    assert [each['name'] for each in content['categories']] == ['n00', 'n01', 'n02']
    assert len(content['images']) == 6
    for ann in content['annotations']:
        with Image.open(tmp_path / f'out/{split}/{ann["image_id"]:06d}.jpg') as image:
            pixels = np.asarray(image, int)
        x, y, width, height = ann['bbox']
        inside = pixels[round(y + 1) : round(y + height - 1), round(x + 1) : round(x + width - 1)]
        own = np.abs(inside - COLORS[ann['category_id']]).max(-1) < 90
        assert own.mean() > 0.8
    sizes = [max(ann['bbox'][2:]) for ann in content['annotations']]
    assert min(sizes) < 25 < 60 < max(sizes)


def test_tiles_cover_the_mosaic_once():
    for seed in range(20):
        covered = np.zeros((mosaics.SIDE, mosaics.SIDE), int)
        whole = mosaics.Tile(0, 0, mosaics.SIDE, mosaics.SIDE)
        for x, y, width, height in mosaics.tiles(whole, random.Random(seed)):
            covered[y : y + height, x : x + width] += 1
            assert max(width, height) <= mosaics.LARGEST
            assert max(width, height) < mosaics.THINNEST * min(width, height)
        assert (covered == 1).all()


def test_each_split_shows_its_own_images(root, tmp_path, monkeypatch):
    used = []
    place = mosaics.place

    def note(canvas, tile, image):
        used.append(image.file.relative_to(root).parts[0])
        return place(canvas, tile, image)

    monkeypatch.setattr(mosaics, 'place', note)
    mosaics.write(root, tmp_path / 'out', train=3, val=2, seed=3)
    assert used == sorted(used)
    assert {*used} == {'train', 'val'}


def test_each_image_is_used_before_one_is_used_twice():
    chosen = mosaics.in_turns([*range(5)], random.Random(1))
    first, second = ([next(chosen) for _ in range(5)] for _ in range(2))
    assert sorted(first) == sorted(second) == [*range(5)]
    assert first != second


def test_a_seed_gives_the_same_files(root, tmp_path):
    for name in ('a', 'b'):
        mosaics.write(root, tmp_path / name, train=2, val=1, seed=3)
    files = [sorted(p for p in (tmp_path / name).rglob('*') if p.is_file()) for name in 'ab']
    assert [p.read_bytes() for p in files[0]] == [p.read_bytes() for p in files[1]]
    assert len(files[0]) == 5


def test_folders_that_cannot_be_used_are_refused(root, tmp_path):
    with pytest.raises(InputError, match='tiny-imagenet-200'):
        mosaics.write(tmp_path, tmp_path / 'out', 1, 1, 0)
    with pytest.raises(InputError, match='already exists'):
        mosaics.write(root, root, 1, 1, 0)
    boxes = root / 'train/n01/n01_boxes.txt'
    boxes.write_text('0.JPEG\t1\t2\t3\n')
    with pytest.raises(InputError, match='n01_boxes.txt: line 1 must be a file name, and four'):
        mosaics.write(root, tmp_path / 'out', 1, 1, 0)
    boxes.write_text('')
    listed = root / 'val/val_annotations.txt'
    listed.write_text('val_0.JPEG\tn07\t1\t2\t3\t4\n')
    with pytest.raises(InputError, match='line 1 must be a file name, a class, and four integers'):
        mosaics.write(root, tmp_path / 'out', 1, 1, 0)
    listed.unlink()
    with pytest.raises(InputError, match='val_annotations.txt: does not exist. Give the folder'):
        mosaics.write(root, tmp_path / 'out', 1, 1, 0)
    assert not (tmp_path / 'out').exists()
