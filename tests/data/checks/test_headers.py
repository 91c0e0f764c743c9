"""Sizes and orientations, known without decoding."""

import pytest
from PIL import Image

from vitbackbones.data.checks.headers import ORIENTATION, Header, read_header
from vitbackbones.data.loading.image_file import read_image


@pytest.mark.parametrize('load', ['color', 'color_ignore_orientation'])
@pytest.mark.parametrize('orientation', [1, 4, 5, 8])
@pytest.mark.parametrize('suffix', ['jpg', 'png'])
def test_the_size_is_that_of_the_decoded_image(tmp_path, suffix, orientation, load):
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    path = str(tmp_path / f'a.{suffix}')
    Image.new('RGB', (16, 12)).save(path, exif=exif)
    assert read_header(path).size(load == 'color') == read_image(path, load).shape[:2]


def test_what_counts_is_the_content_and_not_the_name(tmp_path):
    Image.new('L', (16, 12)).save(tmp_path / 'a.png', 'JPEG')
    assert read_header(str(tmp_path / 'a.png')) == Header('JPEG', 'L', (12, 16), 1)
