"""One rule for how pictures are turned: the same in files, headers, Pillow's images and arrays."""

import io
import struct
import zlib

import cv2
import numpy as np
import pytest
import torch
from PIL import Image, ImageOps

from vitbackbones import transform
from vitbackbones.data.loading.image_file import (
    decode_bands,
    read_content,
    read_header,
    read_image,
    read_shown,
    size_of,
)
from vitbackbones.data.loading.load_mask import read_mask
from vitbackbones.utils.orientation import ORIENTATION, TURNS, orientation, turned, upright

VALUES = [None, *range(10), 65537]
FORMATS = {
    'a.jpg': {'quality': 98},
    'a.png': {},
    'a.webp': {'lossless': True},
    'a.tif': {},
    'a.jfif': {'format': 'JPEG', 'quality': 98},
    'a.avif': {'quality': 100},
    'a.heic': {'quality': 100},
}
STORED = np.kron(np.arange(24).reshape(4, 6) * 10, np.ones((12, 12))).astype(np.uint8)  # (48, 72)


def exif_block(value, order='<', kind=3):
    """An EXIF block with the tag alone, also of values that no writer of EXIF would write."""
    mark = b'II*\0' if order == '<' else b'MM\0*'
    number = struct.pack(order + {1: 'B3x', 3: 'H2x', 4: 'I'}[kind], value)
    entry = struct.pack(f'{order}HHI', ORIENTATION, kind, 1) + number
    return b'Exif\0\0' + mark + struct.pack(f'{order}IH', 8, 1) + entry + bytes(4)


def write(file, value):
    """Write the picture as it is stored, with the tag; return what shows it upright, (h, w)."""
    image, options = Image.fromarray(STORED).convert('RGB'), FORMATS[file.name]
    if file.suffix == '.heic':  # which Pillow alone does not write
        image = pytest.importorskip('pillow_heif').from_pillow(image)
    if value is not None and file.suffix == '.tif':
        image.save(file, tiffinfo={ORIENTATION: value % 2**16})
    elif value is not None:
        kind = 3 if value < 2**16 else 4
        image.save(file, exif=exif_block(value, kind=kind), **options)
    else:
        image.save(file, **options)
    return turned(STORED, value % 2**16 if file.suffix == '.tif' and value else value)


def same(found, wanted):
    return found.shape[:2] == wanted.shape and np.abs(found[..., 0] - wanted.astype(int)).mean() < 2


def test_turning_is_what_pillow_does():
    exif = Image.Exif()
    for value in range(1, 9):
        exif[ORIENTATION] = value
        content = io.BytesIO()
        Image.fromarray(STORED).save(content, 'PNG', exif=exif)
        wanted = ImageOps.exif_transpose(Image.open(content))
        assert np.array_equal(turned(STORED, value), np.asarray(wanted))
        made = upright(Image.open(content))
        assert np.array_equal(np.asarray(made), np.asarray(wanted))
        assert upright(made) is made  # it is not turned twice


@pytest.mark.parametrize('value', VALUES)
@pytest.mark.parametrize('name', FORMATS)
def test_every_reader_turns_alike(tmp_path, name, value):
    if name == 'a.avif' and '.avif' not in Image.registered_extensions():
        pytest.skip('this Pillow reads no AVIF')
    if name == 'a.tif' and value in (0, 9, 65537):
        value = 9  # libtiff writes no others
    file = tmp_path / name
    wanted = write(file, value)
    assert size_of(read_header(str(file))) == wanted.shape
    assert same(read_image(str(file)), wanted)
    assert same(read_image(str(file), 'grayscale')[..., None], wanted)
    assert same(read_shown(str(file)), wanted)
    assert same(decode_bands(*read_content(str(file))), wanted)
    assert same(np.asarray(upright(Image.open(file))), wanted)


@pytest.mark.parametrize('compression', [None, 'tiff_lzw'])
@pytest.mark.parametrize('kind', [np.uint8, np.uint16])
def test_gray_tiffs_are_turned_from_a_path_too(tmp_path, kind, compression):
    file = tmp_path / 'a.tif'
    image = Image.fromarray(STORED.astype(kind))
    image.save(file, tiffinfo={ORIENTATION: 6}, compression=compression)
    assert np.array_equal(np.asarray(upright(Image.open(file))), turned(STORED, 6))


def test_masks_turn_as_their_pictures_do(tmp_path):
    for name in ('a.png', 'a.tif'):
        exif = {'exif': exif_block(6)} if name == 'a.png' else {'tiffinfo': {ORIENTATION: 6}}
        Image.fromarray(STORED).save(tmp_path / name, **exif)
        assert np.array_equal(read_mask(str(tmp_path / name)), turned(STORED, 6))


@pytest.mark.parametrize('train', [False, True])
def test_transform_turns_as_the_pipelines_do(tmp_path, train):
    write(tmp_path / 'a.jpg', 6)
    given, stored = Image.open(tmp_path / 'a.jpg'), Image.open(tmp_path / 'a.jpg')
    shown = ImageOps.exif_transpose(stored)
    images = []
    for picture in (given, shown):
        torch.manual_seed(0)
        images.append(transform('deit_ti', train)(picture))
    assert torch.equal(*images)


@pytest.mark.parametrize('order', '<>')
@pytest.mark.parametrize('kind', [1, 3, 4])
def test_the_tag_is_read_in_every_byte_order_and_type(order, kind):
    image = Image.new('RGB', (2, 1))
    image.info['exif'] = exif_block(8, order, kind)
    assert orientation(image) == 8


def test_damaged_exif_data_turn_nothing_and_say_nothing(tmp_path, recwarn, capfd):
    whole = exif_block(6)
    rng = np.random.default_rng(0)
    found = set()
    for _ in range(500):
        block = bytearray(whole[: rng.integers(len(whole) + 1)])
        for _ in range(rng.integers(3)):
            if block:
                block[rng.integers(len(block))] = rng.integers(256)
        image = Image.new('RGB', (2, 1))
        image.info['exif'] = bytes(block)
        found.add(orientation(image))
    assert found <= {1, *TURNS}
    file = tmp_path / 'a.png'
    Image.fromarray(STORED).save(file, exif=b'Exif\0\0MM\0*\0')
    assert read_image(str(file)).shape[:2] == STORED.shape
    assert size_of(read_header(str(file))) == STORED.shape
    assert not recwarn.list
    assert not capfd.readouterr().err


def test_exif_data_behind_the_pixels_of_a_png_count(tmp_path):
    file = tmp_path / 'a.png'
    Image.fromarray(STORED).save(file)
    content, block = file.read_bytes(), b'eXIf' + exif_block(6)[6:]
    chunk = struct.pack('>I', len(block) - 4) + block + struct.pack('>I', zlib.crc32(block))
    file.write_bytes(content[:-12] + chunk + content[-12:])
    wanted = turned(STORED, 6)
    assert size_of(read_header(str(file))) == wanted.shape
    assert same(read_image(str(file)), wanted)
    assert same(np.asarray(upright(Image.open(file)).convert('RGB')), wanted)


def test_color_types_that_ignore_the_orientation_still_do(tmp_path):
    write(tmp_path / 'a.png', 6)
    assert read_image(str(tmp_path / 'a.png'), 'color_ignore_orientation').shape == (48, 72, 3)
    assert size_of(read_header(str(tmp_path / 'a.png')), turns=False) == (48, 72)


@pytest.mark.parametrize('suffix', ['.png', '.tiff'])
def test_twelve_bits_in_sixteen_are_named_once(tmp_path, capsys, monkeypatch, suffix):
    monkeypatch.setattr('vitbackbones.data.loading.image_file.TOLD', set())
    for number, most in enumerate((0, 2**16 - 1, 2**12 - 1, 2**12 - 1)):
        pixels = np.full((8, 8, 3), most, np.uint16)
        cv2.imwrite(str(tmp_path / f'{number}{suffix}'), pixels)
        read_image(str(tmp_path / f'{number}{suffix}'))
        said = capsys.readouterr().err
        assert ('lowest 12 bits' in said) == (number == 2)
    cv2.imwrite(str(tmp_path / f'8{suffix}'), np.full((8, 8, 3), 9, np.uint8))
    monkeypatch.setattr('vitbackbones.data.loading.image_file.TOLD', set())
    read_image(str(tmp_path / f'8{suffix}'))
    assert not capsys.readouterr().err
