"""What OpenMMLab's inference functions are given in place of the name of a file."""

from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import pytest
from PIL import Image

from vitbackbones.errors import InputError
from vitbackbones.openmmlab.inference import list_pictures, name_pictures, prepare_in_mmseg

PIXELS = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)  # (H, W, 3) in BGR
PILLOW = Image.fromarray(PIXELS[..., ::-1])
GRAY = np.repeat(PIXELS[..., :1], 3, 2)


def inferencer(given):
    """What an inferencer makes a list of, as of OpenMMLab's ``_inputs_to_list``."""

    def list_inputs(self, inputs):
        if isinstance(inputs, str) and inputs == 'folder':
            return ['folder/b.png', 'folder/a.png']
        return inputs if isinstance(inputs, list) else [inputs]

    return list_pictures(list_inputs, None, given)


def function(given):
    """What ``inference_model`` of mmseg prepares."""
    model = SimpleNamespace(cfg=SimpleNamespace(test_pipeline=[]))
    found = prepare_in_mmseg(lambda images, model: images, given, model)
    return found if isinstance(given, list) else [found]


@pytest.mark.parametrize('take', [inferencer, function])
@pytest.mark.parametrize(
    ('given', 'taken'),
    [
        ('a.png', 'a.png'),
        (Path('a.png'), 'a.png'),
        (PILLOW, PIXELS),
        (PIXELS, PIXELS),
        (PIXELS[..., 0], GRAY),
    ],
    ids=['name', 'path', 'Pillow', 'array', 'gray'],
)
def test_pictures_that_are_taken(take, given, taken):
    for found in (take(given)[0], take([given])[0]):
        assert np.array_equal(found, taken)
        assert type(found) is type(taken)


@pytest.mark.parametrize('take', [inferencer, function])
@pytest.mark.parametrize(
    ('given', 'kind'),
    [
        (3, 'int 3'),
        (None, 'NoneType None'),
        (PIXELS.transpose(2, 0, 1), r'an array of \(3, 2, 4\)'),
    ],
)
def test_what_is_no_picture_is_one_message(take, given, kind):
    with pytest.raises(InputError, match=rf'array \(H, W, 3\) in BGR, not {kind}'):
        take(given)


def test_an_empty_list_and_a_folder():
    with pytest.raises(InputError, match='the list of images is empty'):
        function([])
    for folder in ('folder', Path('folder')):
        assert inferencer(folder) == ['folder/a.png', 'folder/b.png']


def test_a_picture_of_pillow_that_cannot_be_read():
    with pytest.raises(
        InputError, match='a Pillow image cannot be read: it has floating point values'
    ):
        inferencer(Image.new('F', (4, 2)))


def pipeline(transforms):
    """A pipeline that halves an array or a file of this size."""

    def halved(data):
        size = (2, 1) if isinstance(data, str | dict) else data.shape[1::-1]
        return cv2.resize(np.zeros((1, 2000, 3), np.uint8), (size[0] // 2, size[1] // 2))

    return halved


@pytest.mark.parametrize(
    ('given', 'message'),
    [
        ('thin.png', 'thin.png: cannot be resized, because one side would become 0'),
        ({'img_path': 'thin.png'}, 'thin.png: cannot be resized'),
        (np.zeros((1, 9, 3), np.uint8), r'an array of \(1, 9, 3\): cannot be resized'),
        ({'img_path': PILLOW}, r'give its file, or an array \(H, W, 3\)'),
        ({'img': None}, 'an image must be a file'),
    ],
)
def test_a_picture_that_cannot_be_resized_is_named(given, message):
    with pytest.raises(InputError, match=message):
        name_pictures(pipeline)([])(given)
