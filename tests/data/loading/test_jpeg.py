"""What a JPEG says of itself: as Pillow reads it, and whether it is all there."""

import io

import cv2
import numpy as np
import pytest
from PIL import Image

from vitbackbones.data.loading.jpeg import read_header


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


@pytest.mark.parametrize('kind', KINDS)
def test_the_size_is_that_of_the_picture(kind):
    header = read_header(KINDS[kind])
    assert (header.width, header.height) == Image.open(io.BytesIO(KINDS[kind])).size == (80, 60)
    assert not header.has_exif


def test_exif_data_are_noticed():
    file = io.BytesIO()
    turned = Image.Exif()
    turned[0x0112] = 6
    Image.fromarray(picture()).save(file, 'JPEG', exif=turned)
    assert read_header(file.getvalue()).has_exif


@pytest.mark.parametrize('kind', KINDS)
def test_a_whole_jpeg_is_told_from_one_cut_anywhere(kind):
    whole = KINDS[kind]
    assert not read_header(whole).ends_early
    end = whole.rindex(b'\xff\xd9')
    assert all(read_header(whole[:length]).ends_early for length in range(2, end + 2))


def test_a_filled_up_rest_is_truncated_too():
    assert read_header(JPEG[: len(JPEG) // 2] + b'\0' * 500).ends_early
