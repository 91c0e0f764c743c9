"""Index masks: every value means a class or is refused, with the file's name."""

import io
import re

import numpy as np
import pytest
from PIL import Image

from vitbackbones.data.loading.load_mask import LoadMask, label_table
from vitbackbones.errors import InputError

VALUES = (np.arange(12 * 16).reshape(12, 16) % 4).astype(np.uint8)  # 0 to 3


@pytest.fixture
def sample(tmp_path):
    """``sample(image)`` saves a mask and returns what a data set gives a pipeline."""

    def make(mask, **changes):
        path = tmp_path / 'mask.png'
        if isinstance(mask, bytes):
            path.write_bytes(mask)
        else:
            (mask if isinstance(mask, Image.Image) else Image.fromarray(mask)).save(path)
        return {
            'img_path': 'picture.jpg',
            'ori_shape': (12, 16),
            'seg_map_path': str(path),
            'reduce_zero_label': False,
            'label_map': None,
            'seg_fields': [],
            **changes,
        }

    return make


def refused(transform, sample):
    with pytest.raises(InputError) as caught:
        transform(sample)
    assert '\n' not in str(caught.value)
    assert str(caught.value).startswith(f'mask file {sample["seg_map_path"]}: ')
    return str(caught.value)


def test_the_labels_are_the_values(sample):
    with_palette = Image.fromarray(VALUES, 'P')
    with_palette.putpalette(np.random.default_rng(0).integers(0, 256, 768).tolist())
    for mask in (with_palette, VALUES.astype(np.uint16)):
        result = LoadMask(num_classes=4)(sample(mask))
        assert np.array_equal(result['gt_seg_map'], VALUES)
        assert result['gt_seg_map'].dtype == np.uint8
        assert result['seg_fields'] == ['gt_seg_map']


@pytest.mark.parametrize('label_map', [None, {0: 1, 1: 255, 2: 0}])
@pytest.mark.parametrize('reduce', [False, True])
def test_the_result_is_that_of_mmseg(sample, reduce, label_map):
    from mmseg.datasets.transforms import LoadAnnotations

    values = VALUES.copy()
    values[values == 3] = 255 if not reduce else 3
    given = {'reduce_zero_label': reduce, 'label_map': label_map}
    ours = LoadMask(num_classes=3)(sample(values, **given))
    theirs = LoadAnnotations()(sample(values, **given))
    assert ours.keys() == theirs.keys()
    assert np.array_equal(ours['gt_seg_map'], theirs['gt_seg_map'])
    assert ours['gt_seg_map'].dtype == theirs['gt_seg_map'].dtype


def test_one_bit_and_a_void_class(sample):
    result = LoadMask(num_classes=2)(sample(Image.fromarray(VALUES > 1)))
    assert np.array_equal(result['gt_seg_map'], VALUES > 1)
    result = LoadMask(num_classes=3, ignored=[3])(sample(VALUES))
    assert np.array_equal(result['gt_seg_map'], np.where(VALUES == 3, 255, VALUES))


def test_inference_has_no_mask():
    assert LoadMask(num_classes=3)({'img_path': 'a.jpg'}) == {'img_path': 'a.jpg'}


def test_values_that_are_not_counted(sample):
    values = np.where(VALUES == 3, 255, 0).astype(np.uint8)
    result = LoadMask(num_classes=2, values=[0, 255])(sample(values))
    assert np.array_equal(result['gt_seg_map'], VALUES == 3)
    result = LoadMask(num_classes=2, values=[0, 255])(sample(values, reduce_zero_label=True))
    assert np.array_equal(result['gt_seg_map'], VALUES == 3)
    text = refused(LoadMask(num_classes=2, values=[0, 128]), sample(VALUES))
    assert 'have the values 1, 2, 3, which are not classes: classes are 0, 128, ignored 255' in text


@pytest.mark.parametrize('values', [[0, 0], [0, 256], [0, 1, 255]])
def test_values_are_one_for_each_class(values):
    with pytest.raises(InputError, match='must be 2 different numbers from 0 to 255'):
        label_table(2, values=values)


@pytest.mark.parametrize(
    ('place', 'value', 'reduce', 'said'),
    [
        (
            (0, slice(3)),
            17,
            False,
            '51 pixels have the values 3, 17, .* classes are 0 to 2, ignored 255',
        ),
        ((5, 5), 4, True, '1 pixels have the values 4, .* classes are 1 to 3, ignored 0, 255'),
        ((0, 0), 3, False, r'ignored 255\..* set reduce_zero_label=True'),  # they count from 1
    ],
)
def test_values_that_are_no_class(sample, place, value, reduce, said):
    values = VALUES.copy()
    values[place] = value
    text = refused(LoadMask(num_classes=3), sample(values, reduce_zero_label=reduce))
    assert re.search(said, text)
    assert ('reduce_zero_label' in text) is (value == 3)


def test_16_bit_values_do_not_wrap_around(sample):
    values = VALUES.astype(np.uint16)
    values[3, 4] = 256
    text = refused(LoadMask(num_classes=4), sample(values))
    assert '1 pixels have the values 256, which are not classes' in text


def encoded(image, kind='PNG'):
    stream = io.BytesIO()
    image.save(stream, kind)
    return stream.getvalue()


def test_pictures_that_are_no_index_masks(sample):
    colors = Image.fromarray(np.stack([VALUES, VALUES, 0 * VALUES], -1))
    text = refused(LoadMask(num_classes=4), sample(colors))
    assert 'is an image of mode RGB, not an index mask' in text
    jpeg = sample(encoded(Image.fromarray(VALUES), 'JPEG'))
    assert 'is a JPEG file, whatever its name' in refused(LoadMask(num_classes=4), jpeg)


def array(values):
    stream = io.BytesIO()
    np.save(stream, values)
    return stream.getvalue()


CLEAR = np.full_like(VALUES, 255)


@pytest.mark.parametrize(
    'content',
    [
        Image.fromarray(VALUES).convert('RGB'),
        Image.fromarray(np.stack([VALUES, CLEAR], -1)),
        Image.fromarray(np.stack([VALUES] * 3 + [CLEAR], -1)),
        encoded(Image.fromarray(VALUES.astype(np.float32)), 'TIFF'),
        encoded(Image.fromarray(VALUES), 'GIF'),
        array(VALUES.astype(np.int64)),
        array(VALUES.astype(np.float32)),
    ],
    ids=['RGB', 'LA', 'RGBA', 'float', 'gif', 'npy', 'float npy'],
)
def test_numbers_of_classes_in_other_forms_are_read(sample, content):
    result = LoadMask(num_classes=4)(sample(content))
    assert np.array_equal(result['gt_seg_map'], VALUES)
    assert result['gt_seg_map'].dtype == np.uint8


@pytest.mark.parametrize(
    ('content', 'message'),
    [
        (b'', 'the file is empty. Replace it with a good copy'),
        (b'GIF89a', 'damaged or not an image. Replace it with a good copy'),
        (array(np.stack([VALUES] * 2)), 'is an array of shape (2, 12, 16), but a mask is (H, W)'),
        (array(VALUES / 2), 'has values that are not integers. Write the class number'),
        (
            encoded(Image.fromarray(VALUES.astype(np.float32) / 2), 'TIFF'),
            'has values that are not integers. Write the class number',
        ),
        (Image.fromarray(np.stack([VALUES, CLEAR // 2], -1)), 'is an image of mode LA'),
    ],
    ids=['empty', 'damaged', 'axes', 'npy', 'float', 'alpha'],
)
def test_what_is_wrong_with_other_forms(sample, content, message):
    assert message in refused(LoadMask(num_classes=4), sample(content))


def test_damaged_files(sample):
    for content in (b'', encoded(Image.fromarray(VALUES))[:-40]):
        assert 'Replace it with a good copy' in refused(LoadMask(num_classes=4), sample(content))


def test_another_size_than_the_image(sample):
    text = refused(LoadMask(num_classes=4), sample(VALUES, ori_shape=(24, 32)))
    assert 'has 16 x 12 pixels, but its image picture.jpg has 32 x 24.' in text
    assert 'EXIF' not in text
    text = refused(LoadMask(num_classes=4), sample(VALUES, ori_shape=(16, 12)))
    assert "color_type='color_ignore_orientation'" in text
