"""Masks and images as users have them: a bad mask is refused by name, all else works."""

import shutil

import numpy as np
import pytest
import torch
from PIL import Image

from vitbackbones.data.checks import masks as mask_check
from vitbackbones.data.loading.image_file import ORIENTATION

from .conftest import TINY_SEG

pytestmark = pytest.mark.compat
SIDE = 64


@pytest.fixture
def copy(data, tmp_path):
    """A copy of the data that a test may change."""
    return shutil.copytree(data, tmp_path / 'changed')


@pytest.fixture
def call(tool, copy, tmp_path):
    """``call('train', ...)`` runs a tool on the copy; the checkpoint of 'test' is empty."""

    def run(name, *options):
        torch.save({'state_dict': {}, 'meta': {}}, tmp_path / 'empty.pth')
        given = {'train': ['--scratch'], 'test': [tmp_path / 'empty.pth'], 'check': []}
        return tool(name, TINY_SEG, *given[name], '--data-root', copy, *options)

    return run


def save(values, path):
    Image.fromarray(values).save(path)


def full(value, kind=np.uint8, height=SIDE):
    return np.full((height, SIDE), value, kind)


def test_all_bad_masks_are_listed(call, copy, monkeypatch):
    """Also those beyond the sample that a run looks at."""
    monkeypatch.setattr(mask_check, 'SAMPLE', 1)
    masks = copy / 'annotations'
    save(full(9), masks / 'train' / '000003.png')
    save(full(7), masks / 'train' / '000004.png')
    save(full(1, height=32), masks / 'val' / '000001.png')
    (copy / 'images' / 'val' / '000002.jpg').write_bytes(b'no picture')
    result = call('check')
    assert result.status == 2
    assert f'{masks}/train/000003.png: 4096 pixels hold 9' in result.out
    assert f'{masks}/train/000004.png: 4096 pixels hold 7' in result.out
    assert f'{masks}/val/000001.png: has 64 x 32' in result.out
    assert 'images/val/000002.jpg: ' in result.out
    assert 'faults in 24 files, see above' in result.err


def palette(values):
    image = Image.fromarray(values, 'P')
    image.putpalette(np.random.default_rng(0).integers(0, 256, 768).tolist())
    return image


def test_masks_and_images_of_every_kind_work(call, copy):
    """Masks with a palette or of 16 bit; gray, transparent, CMYK, deep, turned, tiny images."""
    random = np.random.default_rng(0)
    shapes = {0: (SIDE, SIDE), 1: (SIDE, SIDE), 2: (SIDE, SIDE), 3: (48, SIDE), 4: (20, 12)}
    for split in ('train', 'val'):
        for i, shape in list(shapes.items())[: 5 if split == 'train' else 4]:
            labels = random.integers(0, 5, shape, np.uint8)
            mask = palette(labels) if i % 2 else Image.fromarray(labels.astype(np.uint16))
            mask.save(copy / f'annotations/{split}/{i:06d}.png')
            write_image(i, copy / f'images/{split}/{i:06d}.jpg', shape, random)
    options = ['--cfg-options', 'train_cfg.max_iters=8', 'train_cfg.val_interval=8']
    result = call('train', *options)
    assert result.status == 0, result.err
    assert 'mIoU' in result.out
    assert call('check').status == 0


def write_image(i, path, shape, random):
    """The ``i``-th kind of image of ``shape`` (height, width) as it is seen."""
    pixels = random.integers(0, 256, (*shape, 3), np.uint8)
    image, exif = Image.fromarray(pixels), Image.Exif()
    if i == 3:
        exif[ORIENTATION] = 6
        image.rotate(90, expand=True).save(path, 'JPEG', exif=exif)
    elif i == 4:
        Image.fromarray(pixels[..., 0].astype(np.uint16) * 257).save(path, 'PNG')
    else:
        kind, form = (('L', 'JPEG'), ('RGBA', 'PNG'), ('CMYK', 'JPEG'))[i]
        image.convert(kind).save(path, form)
