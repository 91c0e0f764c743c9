"""Index masks: every value means a class or is refused, with the file's name."""

import io

import numpy as np
import pytest
from mmengine.dataset import Compose
from mmengine.registry import DefaultScope
from PIL import Image
from torch.utils.data import DataLoader, Dataset

from vitbackbones.data.loading.load_image import LoadImage
from vitbackbones.data.loading.load_mask import (
    LoadMask,
    label_table,
    read_mask,
    size_fault,
    value_fault,
)
from vitbackbones.errors import InputError

VALUES = (np.arange(12 * 16).reshape(12, 16) % 4).astype(np.uint8)  # 0 to 3


def palette_image(values):
    image = Image.fromarray(values, 'P')
    image.putpalette(np.random.default_rng(0).integers(0, 256, 768).tolist())
    return image


GOOD = {
    'gray': Image.fromarray(VALUES),
    'palette': palette_image(VALUES),
    '16 bit': Image.fromarray(VALUES.astype(np.uint16)),
}
COLORED = {
    'RGB': Image.fromarray(VALUES).convert('RGB'),
    'RGBA': Image.fromarray(VALUES).convert('RGBA'),
    'LA': Image.fromarray(VALUES).convert('LA'),
}


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


# ---------------------------------------------------------------------------- labels


@pytest.mark.parametrize('kind', GOOD)
def test_the_labels_are_the_values(sample, kind):
    result = LoadMask(num_classes=4)(sample(GOOD[kind]))
    assert np.array_equal(result['gt_seg_map'], VALUES)
    assert result['gt_seg_map'].dtype == np.uint8
    assert result['seg_fields'] == ['gt_seg_map']


def test_one_bit(sample):
    result = LoadMask(num_classes=2)(sample(Image.fromarray(VALUES > 1)))
    assert np.array_equal(result['gt_seg_map'], VALUES > 1)


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


def test_the_numbering_of_ade20k():
    table = label_table(150, reduce_zero_label=True)
    assert table[0] == table[255] == 255
    assert table[1:151].tolist() == list(range(150))
    assert set(table[151:255].tolist()) == {-1}


def test_a_void_class_is_ignored(sample):
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
    assert 'hold 1, 2, 3, which is no class: classes are 0, 128, ignored 255' in text


@pytest.mark.parametrize('values', [[0], [0, 0], [0, 256], [0, 1, 255]])
def test_values_are_one_for_each_class(values):
    with pytest.raises(InputError, match='must be 2 different numbers from 0 to 255'):
        label_table(2, values=values)


def test_it_is_found_by_name_in_the_pipelines_of_mmseg(sample):
    with DefaultScope.overwrite_default_scope('mmseg'):
        pipeline = Compose([{'type': 'vitbackbones.LoadMask', 'num_classes': 4}])
    assert np.array_equal(pipeline(sample(VALUES))['gt_seg_map'], VALUES)


# ---------------------------------------------------------------------------- refusals


def test_values_that_are_no_class(sample):
    values = VALUES.copy()
    values[0, :3] = 17
    text = refused(LoadMask(num_classes=3), sample(values))
    wrong = int((values == 3).sum()) + 3
    assert f'{wrong} pixels hold 3, 17, which is no class: classes are 0 to 2, ignored 255' in text
    assert 'reduce_zero_label' not in text


def test_values_after_reduction(sample):
    values = VALUES.copy()
    values[5, 5] = 4
    text = refused(LoadMask(num_classes=3), sample(values, reduce_zero_label=True))
    assert '1 pixels hold 4, which is no class: classes are 1 to 3, ignored 0, 255' in text


def test_counting_from_1_without_reduction_is_explained(sample):
    assert 'set reduce_zero_label=True' in refused(LoadMask(num_classes=3), sample(VALUES))


@pytest.mark.parametrize('value', [256, 257, 40000])
def test_16_bit_values_do_not_wrap_around(sample, value):
    values = VALUES.astype(np.uint16)
    values[3, 4] = value
    text = refused(LoadMask(num_classes=4), sample(values))
    assert f'1 pixels hold {value}, which is no class' in text


@pytest.mark.parametrize('kind', COLORED)
def test_colors(sample, kind):
    text = refused(LoadMask(num_classes=4), sample(COLORED[kind]))
    assert f'is a picture of kind {kind}, not an index mask' in text


def test_jpeg(sample):
    path = sample(VALUES)['seg_map_path']
    Image.fromarray(VALUES).save(path, 'JPEG')
    text = refused(LoadMask(num_classes=4), {'img_path': 'a.jpg', 'seg_map_path': path})
    assert 'is a JPEG, whatever its name' in text


def encoded(image):
    stream = io.BytesIO()
    image.save(stream, 'PNG')
    return stream.getvalue()


@pytest.mark.parametrize(
    'content',
    [b'', b'<html>404</html>', encoded(Image.fromarray(VALUES))[:-40]],
    ids=['empty', 'text', 'truncated'],
)
def test_damaged_files(sample, content):
    assert 'Put a good copy there' in refused(LoadMask(num_classes=4), sample(content))


def test_missing_files(tmp_path):
    with pytest.raises(InputError, match=r'absent\.png: No such file or directory\. Put a good'):
        read_mask(str(tmp_path / 'absent.png'))


def test_another_size_than_the_image(sample):
    text = refused(LoadMask(num_classes=4), sample(VALUES, ori_shape=(24, 32)))
    assert 'has 16 x 12 pixels, its image picture.jpg 32 x 24.' in text
    assert 'EXIF' not in text


def test_a_turned_image(sample):
    text = refused(LoadMask(num_classes=4), sample(VALUES, ori_shape=(16, 12)))
    assert "color_type='color_ignore_orientation'" in text


def test_no_fault():
    assert size_fault('a.png', (3, 4), 'a.jpg', [3, 4]) == ''
    assert value_fault('a.png', VALUES, label_table(4)) == ''


class Masks(Dataset):
    def __init__(self, sample):
        self.sample, self.load = sample, LoadMask(num_classes=2)

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return self.load(dict(self.sample))


def test_the_message_comes_out_of_a_data_worker_as_it_went_in(sample):
    masks = Masks(sample(VALUES))
    expected = refused(masks.load, masks.sample)
    with pytest.raises(InputError) as caught:
        list(DataLoader(masks, num_workers=1))
    assert str(caught.value) == expected


# ---------------------------------------------------------------------------- images beside them


def oriented(orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    return {'exif': exif}


IMAGES = {
    'gray': ('L', 'jpg', {}),
    'CMYK': ('CMYK', 'jpg', {}),
    'RGBA': ('RGBA', 'png', {}),
    'LA': ('LA', 'png', {}),
    'palette': ('P', 'png', {}),
    'one bit': ('1', 'png', {}),
    '16 bit': ('I;16', 'png', {}),
    'turned by EXIF': ('RGB', 'jpg', oriented(6)),
    'mirrored by EXIF': ('RGB', 'jpg', oriented(4)),
}


@pytest.mark.parametrize('kind', IMAGES)
def test_images_of_every_kind_load_as_three_channels(tmp_path, kind):
    """Bright above, dark below: also after the turn that EXIF asks for."""
    mode, suffix, options = IMAGES[kind]
    ramp = np.zeros((12, 16), np.uint8)
    ramp[:6] = 240
    upright = Image.fromarray(ramp)
    turn = {6: Image.Transpose.ROTATE_90, 4: Image.Transpose.FLIP_TOP_BOTTOM}
    orientation = options['exif'][0x0112] if options else 1
    stored = upright.transpose(turn[orientation]) if options else upright
    stored = Image.fromarray(ramp.astype(np.uint16) * 257) if mode == 'I;16' else stored
    path = tmp_path / f'picture.{suffix}'
    (stored if mode == 'I;16' else stored.convert(mode)).save(path, **options)
    result = LoadImage()({'img_path': str(path)})
    assert result['img'].shape == (12, 16, 3)
    assert result['img'].dtype == np.uint8
    assert result['img_shape'] == result['ori_shape'] == (12, 16)
    assert result['img'][:4].min() > 200
    assert result['img'][8:].max() < 60
