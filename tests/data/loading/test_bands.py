"""Bands as they are stored, of TIFF, .npy and other files; what is no picture is refused."""

import io

import numpy as np
import pytest
import tifffile
from PIL import Image

from vitbackbones.data.loading.image_file import decode_bands, read_image
from vitbackbones.errors import InputError

PIXELS = np.random.default_rng(0).integers(0, 60000, (5, 7, 4)).astype(np.uint16)


def tiff(pixels, **options):
    file = io.BytesIO()
    tifffile.imwrite(file, pixels, photometric='minisblack', **options)
    return file.getvalue()


def npy(pixels):
    file = io.BytesIO()
    np.save(file, pixels)
    return file.getvalue()


@pytest.mark.parametrize(
    'content',
    [
        tiff(PIXELS, planarconfig='contig'),
        tiff(PIXELS.transpose(2, 0, 1), planarconfig='separate'),
        tiff(PIXELS.transpose(2, 0, 1)),  # a page for each
        tiff(PIXELS, planarconfig='contig', compression='deflate', bigtiff=True),
        npy(PIXELS),
        npy(PIXELS.astype(float)),
    ],
)
def test_bands_are_last_and_exact(content):
    bands = decode_bands(content, None)
    assert bands.dtype == np.float32
    np.testing.assert_array_equal(bands, PIXELS)


def test_bytes_stay_bytes_and_one_band_is_one():
    gray = PIXELS[..., 0].astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(gray).save(file, 'PNG')
    for content in (file.getvalue(), npy(gray), tiff(gray)):
        bands = decode_bands(content, None)
        assert bands.dtype == np.uint8
        np.testing.assert_array_equal(bands, gray[..., None])


@pytest.mark.parametrize(
    ('content', 'text'),
    [
        (npy(np.full((4, 4), np.nan)), 'NaN or infinite'),
        (npy(np.zeros((2, 3, 4, 5))), 'are not the bands of one image'),
        (npy(np.zeros((3, 4), complex)), 'are not the bands of one image'),
        (npy(PIXELS)[:-1], 'a.npy: '),
        (npy(np.array([{}])), 'allow_pickle=False'),
        (tiff(PIXELS, planarconfig='contig')[:40], 'a.npy: '),
        (npy(PIXELS), r'it has 4 bands, but model\.backbone\.in_channels=2'),
    ],
)
def test_what_is_no_picture_of_such_bands_names_the_file(tmp_path, content, text):
    (tmp_path / 'a.npy').write_bytes(content)
    with pytest.raises(InputError, match=text):
        read_image(str(tmp_path / 'a.npy'), 2)


def test_a_tiff_that_claims_too_much_is_not_decoded(monkeypatch):
    monkeypatch.setattr(Image, 'MAX_IMAGE_PIXELS', 8)
    with pytest.raises(ValueError, match='140 values are too many'):
        decode_bands(tiff(PIXELS, planarconfig='contig'), None)
