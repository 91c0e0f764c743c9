"""Sizes and orientations, known without decoding."""

import pytest
from PIL import Image

from vitbackbones.data.checks.headers import ORIENTATION, read_header
from vitbackbones.data.loading.image_file import read_image


@pytest.mark.parametrize('load', ['color', 'grayscale', 'color_ignore_orientation', 'unchanged'])
@pytest.mark.parametrize('orientation', [1, 3, 6, 8])
@pytest.mark.parametrize('suffix', ['jpg', 'png'])
def test_the_size_is_that_of_the_decoded_image(tmp_path, suffix, orientation, load):
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    path = str(tmp_path / f'a.{suffix}')
    Image.new('RGB', (16, 12)).save(path, exif=exif)
    turns = load in ('color', 'grayscale')
    assert read_header(path).size(turns) == read_image(path, load).shape[:2]


def test_format_and_mode(tmp_path):
    Image.new('L', (16, 12)).save(tmp_path / 'a.png', 'JPEG')
    header = read_header(str(tmp_path / 'a.png'))
    assert (header.format, header.mode, header.stored) == ('JPEG', 'L', (12, 16))
