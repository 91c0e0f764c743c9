"""Masks and images as users have them: a bad mask is refused by name, all else works."""

import shutil

import numpy as np
import pytest
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


def save(value, path, height=SIDE):
    Image.fromarray(np.full((height, SIDE), value, np.uint8)).save(path)


def test_all_bad_masks_are_listed(tool, copy, monkeypatch):
    """Also those beyond the sample that a run looks at."""
    monkeypatch.setattr(mask_check, 'SAMPLE', 1)
    masks = copy / 'annotations'
    save(9, masks / 'train' / '000003.png')
    save(7, masks / 'train' / '000004.png')
    save(1, masks / 'val' / '000001.png', height=32)
    (copy / 'images' / 'val' / '000002.jpg').write_bytes(b'no picture')
    result = tool('check', TINY_SEG, '--data-root', copy)
    assert result.status == 2
    assert f'{masks}/train/000003.png: 4096 pixels hold 9' in result.out
    assert f'{masks}/train/000004.png: 4096 pixels hold 7' in result.out
    assert f'{masks}/val/000001.png: has 64 x 32' in result.out
    assert 'images/val/000002.jpg: ' in result.out
    assert 'faults in 24 files, see above' in result.err


def test_masks_and_images_of_every_kind_work(run, copy):
    """Masks with a palette or of 16 bit; gray, transparent, CMYK, deep, turned, tiny images."""
    random = np.random.default_rng(0)
    shapes = {0: (SIDE, SIDE), 1: (SIDE, SIDE), 2: (SIDE, SIDE), 3: (48, SIDE), 4: (20, 12)}
    for split in ('train', 'val'):
        for i, shape in list(shapes.items())[: 5 if split == 'train' else 4]:
            labels = random.integers(0, 5, shape, np.uint8)
            mask = Image.fromarray(labels if i % 2 else labels.astype(np.uint16))
            if i % 2:
                mask.putpalette(random.integers(0, 256, 768).tolist())
            mask.save(copy / f'annotations/{split}/{i:06d}.png')
            write_image(i, copy / f'images/{split}/{i:06d}.jpg', shape, random)
    options = ['--cfg-options', 'train_cfg.max_iters=8', 'train_cfg.val_interval=8']
    assert 'mIoU' in run('train', TINY_SEG, '--data-root', copy, *options).out
    run('check', TINY_SEG, '--data-root', copy)


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
