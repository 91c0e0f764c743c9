"""Loading pictures: the same pixels as mmcv, and a message with the file name for bad ones."""

import cv2
import mmcv
import numpy as np
import pytest
from mmcv.transforms import LoadImageFromFile
from PIL import Image

from vitbackbones.data.loading.image_file import UnreadableImage
from vitbackbones.data.loading.load_image import REDUCTIONS, LoadImage
from vitbackbones.errors import InputError, OptionError

from .test_image_file import JPEG, encode, picture


@pytest.fixture
def save(tmp_path):
    def write(content, name='picture.jpg'):
        (tmp_path / name).write_bytes(content)
        return str(tmp_path / name)

    return write


@pytest.mark.parametrize(
    ('suffix', 'options'),
    [
        ('.jpg', {}),
        ('.png', {'to_float32': True}),
        ('.bmp', {'color_type': 'grayscale'}),
        ('.webp', {'imdecode_backend': 'pillow'}),
        ('.tif', {}),
    ],
)
def test_the_result_is_that_of_mmcv(save, suffix, options):
    path = save(encode(suffix), f'picture{suffix}')
    ours = LoadImage(**options)({'img_path': path, 'img_id': 5})
    theirs = LoadImageFromFile(**options)({'img_path': path, 'img_id': 5})
    assert ours.keys() == theirs.keys()
    assert ours['img'].dtype == theirs['img'].dtype
    assert np.array_equal(ours.pop('img'), theirs.pop('img'))
    assert ours == theirs


BAD = {
    'empty': (b'', 'the file is empty'),
    'jpeg': (JPEG[: len(JPEG) // 2], f'truncated, the JPEG data stops after {len(JPEG) // 2}'),
    'png': (encode('.png')[:-2000], 'truncated'),
}


@pytest.mark.parametrize('case', BAD)
def test_a_bad_picture_is_named(save, case):
    content, reason = BAD[case]
    path = save(content)
    for options in ({}, {'decode': 'reduced'}, {'imdecode_backend': 'pillow'}):
        with pytest.raises(InputError) as caught:
            LoadImage(**options)({'img_path': path})
        message = str(caught.value)
        assert message.startswith(f'image file {path}: ')
        assert '\n' not in message
        assert reason in message or 'imdecode_backend' in options
    assert LoadImage(ignore_empty=True)({'img_path': path}) is None  # another one is drawn


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r'absent\.jpg: No such file or directory\. Replace it'):
        LoadImage()({'img_path': str(tmp_path / 'absent.jpg')})
    assert LoadImage(ignore_empty=True)({'img_path': str(tmp_path / 'absent.jpg')}) is None


@pytest.mark.parametrize('backend', ['cv2', 'pillow'])
@pytest.mark.parametrize('suffix', ['.png', '.jpg'])
def test_more_pixels_than_the_limit_are_refused_by_the_header(save, monkeypatch, suffix, backend):
    monkeypatch.setattr(Image, 'MAX_IMAGE_PIXELS', 2399)
    for module, name in ((cv2, 'imdecode'), (mmcv, 'imfrombytes')):
        monkeypatch.setattr(module, name, lambda *args, **kwargs: pytest.fail('decoded'))
    path = save(encode(suffix), f'bomb{suffix}')
    text = r'Image size \(4800 pixels\) exceeds limit of 4798 pixels. Cut it into tiles'
    with pytest.raises(InputError, match=rf'bomb\{suffix}: {text}'):
        LoadImage(imdecode_backend=backend)({'img_path': path})


def test_a_tiff_of_other_values_is_not_called_damaged(tmp_path):
    path = str(tmp_path / 'a.tif')
    for kind, text in {'float32': 'floating point', 'int32': '32-bit integer'}.items():
        Image.fromarray(np.ones((8, 8), kind)).save(path)
        with pytest.raises(InputError, match=f'a TIFF of {text} values. Convert it to 8 or 16'):
            LoadImage()({'img_path': path})


@pytest.mark.parametrize('kind', ['float32', 'float64', 'int16', 'int32'])
def test_a_tiff_of_three_bands_of_other_values_is_refused(tmp_path, kind):
    path = str(tmp_path / 'a.tif')
    assert cv2.imwrite(path, np.linspace(0, 200, 192).reshape(8, 8, 3).astype(kind))
    with pytest.raises(InputError, match=f'an image of {kind} values. Convert it to 8 or 16 bits'):
        LoadImage()({'img_path': path})


def test_a_tiff_of_three_bands_of_16_bits_is_read(tmp_path):
    path = str(tmp_path / 'a.tif')
    values = np.arange(192, dtype=np.uint16).reshape(8, 8, 3)
    assert cv2.imwrite(path, values * 257)
    assert (LoadImage()({'img_path': path})['img'] == values).all()


@pytest.mark.parametrize('factor', REDUCTIONS)
def test_a_jpeg_is_decoded_when_its_crop_is_known(save, factor):
    size = (61, 83)
    path = save(cv2.imencode('.jpg', picture(*size))[1].tobytes())
    found = LoadImage(decode='reduced')({'img_path': path})
    assert found['img'].shape == (*size, 3)
    whole = LoadImage()({'img_path': path})['img']
    reduced = found['img'].decode(factor)
    assert reduced.shape == (-(-size[0] // factor), -(-size[1] // factor), 3)
    assert reduced.mean() == pytest.approx(whole.mean(), abs=3)
    assert (factor > 1) or np.array_equal(reduced, whole)


def test_what_may_have_to_be_turned_or_is_no_jpeg_is_decoded_at_once(tmp_path, save):
    turned = Image.Exif()
    turned[0x0112] = 6
    Image.fromarray(picture()).save(tmp_path / 'turned.jpg', exif=turned)
    for path in (str(tmp_path / 'turned.jpg'), save(encode('.png'), 'picture.png')):
        later, at_once = (LoadImage(decode=d)({'img_path': path}) for d in ('reduced', 'full'))
        assert np.array_equal(later['img'], at_once['img'])
        assert later['img_shape'] == at_once['img_shape']


def test_decoding_later_goes_with_no_other_form():
    with pytest.raises(OptionError, match="decode='reduced' cannot be combined with options"):
        LoadImage(decode='reduced', color_type='grayscale')
    with pytest.raises(OptionError, match='decode'):
        LoadImage(decode='later')


@pytest.mark.parametrize('name', ['a.gif', 'a.avif', 'a.heic'])
def test_the_loader_of_the_toolboxes_reads_the_same_formats(tmp_path, name):
    squares = np.arange(12, dtype=np.uint8).reshape(3, 4) * 20
    image = Image.fromarray(np.kron(squares, np.ones((9, 9), np.uint8)))
    if name == 'a.heic':
        image = pytest.importorskip('pillow_heif').from_pillow(image.convert('RGB'))
    elif name == 'a.avif' and '.avif' not in Image.registered_extensions():
        pytest.skip('this Pillow reads no AVIF')
    image.save(tmp_path / name)
    sample = {'img_path': str(tmp_path / name)}
    theirs = LoadImageFromFile(to_float32=True)(dict(sample))
    ours = LoadImage(to_float32=True)(dict(sample))
    assert np.abs(theirs['img'] - ours['img']).max() <= 1  # decoders of GIF round differently
    assert theirs['img'].dtype == ours['img'].dtype == np.float32
    assert theirs['img_shape'] == theirs['ori_shape'] == (27, 36)


def test_the_loader_of_the_toolboxes_names_a_file_that_is_no_image(tmp_path):
    (tmp_path / 'a.png').write_bytes(b'no image')
    with pytest.raises(UnreadableImage, match=r'image file .*a\.png: truncated, damaged or not'):
        LoadImageFromFile()({'img_path': str(tmp_path / 'a.png')})
