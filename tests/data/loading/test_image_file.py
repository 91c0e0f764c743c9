"""Headers: sizes and orientations without decoding, and whether a JPEG is all there."""

import subprocess
import sys
from io import BytesIO

import cv2
import numpy as np
import pytest
from PIL import Image

from vitbackbones.data.loading.image_file import (
    UnreadableImage,
    decode,
    read_header,
    read_image,
    size_of,
)
from vitbackbones.utils.orientation import ORIENTATION


def picture(height=60, width=80):
    ramp = np.arange(height * width * 3, dtype=np.uint32).reshape(height, width, 3)
    return (ramp * 7919 % 251).astype(np.uint8)


def encode(suffix, *options):
    return cv2.imencode(suffix, picture(), list(options))[1].tobytes()


JPEG = encode('.jpg')
PROGRESSIVE = encode('.jpg', cv2.IMWRITE_JPEG_PROGRESSIVE, 1)


def with_thumbnail(jpeg):
    """The JPEG with a small whole JPEG inside an application segment, as cameras write it."""
    thumbnail = cv2.imencode('.jpg', picture(8, 8))[1].tobytes()
    segment = b'\xff\xe1' + (len(thumbnail) + 2).to_bytes(2, 'big') + thumbnail
    return jpeg[:2] + segment + jpeg[2:]


KINDS = {
    'baseline': JPEG,
    'progressive': PROGRESSIVE,
    'thumbnail': with_thumbnail(JPEG),
    'trailer': JPEG + b'\0' * 99,
    'fill bytes': JPEG[:2] + b'\xff\xff' + JPEG[2:],
}


def test_a_heic_file_names_the_package_that_reads_it(tmp_path, monkeypatch):
    file = tmp_path / 'a.heic'
    file.write_bytes(b'\0\0\0\x18ftypheic\0\0\0\0mif1heic')
    monkeypatch.setitem(sys.modules, 'pillow_heif', None)
    with pytest.raises(UnreadableImage, match=r'a\.heic: .*install it: pip install pillow-heif'):
        read_image(str(file))
    monkeypatch.undo()
    pytest.importorskip('pillow_heif')
    with pytest.raises(UnreadableImage, match=r'a\.heic: truncated, damaged or not an image'):
        read_image(str(file))


@pytest.mark.parametrize('kind', KINDS)
def test_a_whole_jpeg_is_told_from_one_cut_anywhere(tmp_path, kind):
    whole, file = KINDS[kind], tmp_path / 'a.jpg'
    end = whole.rindex(b'\xff\xd9')
    file.write_bytes(whole)
    assert read_image(str(file)).shape == (60, 80, 3)
    for length in (*range(2, end, 97), end, end + 1):
        file.write_bytes(whole[:length])
        with pytest.raises(UnreadableImage, match='truncated'):
            read_image(str(file))
    file.write_bytes(whole[: end // 2] + b'\0' * 500)
    with pytest.raises(UnreadableImage, match='truncated, the JPEG data stops'):
        read_image(str(file))


@pytest.mark.parametrize('load', ['color', 'color_ignore_orientation'])
@pytest.mark.parametrize('orientation', [4, 5])
@pytest.mark.parametrize('suffix', ['jpg', 'png'])
def test_the_size_is_that_of_the_decoded_image(tmp_path, suffix, orientation, load):
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    path = str(tmp_path / f'a.{suffix}')
    Image.new('RGB', (16, 12)).save(path, exif=exif)
    assert size_of(read_header(path), load == 'color') == read_image(path, load).shape[:2]


def test_a_file_of_a_storage_is_asked_for_with_its_options(monkeypatch, tmp_path):
    file, asked = tmp_path / 'a.png', []
    Image.new('RGB', (4, 3)).save(file)

    def get(path, backend_args=None):
        asked.append((path, backend_args))
        return file.read_bytes()

    monkeypatch.setattr('mmengine.fileio.get', get)
    options = {'backend': 'petrel'}
    assert read_image('s3://pictures/a.png', backend_args=options).shape == (3, 4, 3)
    assert asked == [('s3://pictures/a.png', options)]


def test_another_decoder_is_that_which_is_asked_for(monkeypatch):
    content = BytesIO()
    Image.new('RGB', (4, 3), 'red').save(content, 'PNG')
    asked = []

    def decode_in_mmcv(content, flag, backend):
        asked.append((flag, backend))
        return np.zeros((3, 4, 3), np.uint8)

    monkeypatch.setattr('mmcv.imfrombytes', decode_in_mmcv)
    decode(content.getvalue(), None, 'grayscale', 'pillow')
    assert asked == [('grayscale', 'pillow')]
    assert decode(content.getvalue(), None)[0, 0].tolist() == [0, 0, 255]
    assert len(asked) == 1


def test_an_image_within_the_limit_brings_no_warning_of_an_attack(tmp_path):
    path = tmp_path / 'large.png'
    Image.new('RGB', (60, 60)).save(path)
    lines = [
        'from PIL import Image',
        'from vitbackbones.data.loading.image_file import read_image',
        'Image.MAX_IMAGE_PIXELS = 3000',
        f'read_image({str(path)!r})',
    ]
    run = subprocess.run([sys.executable, '-c', '\n'.join(lines)], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, '')
