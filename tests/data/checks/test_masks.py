"""The check of images and masks: one clear message for each fault, none for good ones."""

import time

import numpy as np
import pytest
from PIL import Image

from vitbackbones.data.checks import masks as mask_check
from vitbackbones.data.checks.headers import ORIENTATION
from vitbackbones.data.checks.masks import check_dataset, check_masks
from vitbackbones.data.loading.load_mask import label_table
from vitbackbones.errors import InputError

CLASSES = ('road', 'sky', 'tree')
COUNT = 4


class Data:
    """A data set on disk that a test damages: images a to d and their masks of values 0 to 3."""

    def __init__(self, root):
        self.root = root
        for folder in ('images', 'masks'):
            (root / folder / 'sub').mkdir(parents=True)
        self.names = ['a', 'b', 'c', 'sub/d']
        for name in self.names:
            Image.new('RGB', (16, 12)).save(self.image(name))
            self.save_mask(name, np.arange(12 * 16).reshape(12, 16) % 4)

    def image(self, name):
        return self.root / 'images' / f'{name}.jpg'

    def mask(self, name):
        return self.root / 'masks' / f'{name}.png'

    def save_mask(self, name, values, kind=np.uint8):
        Image.fromarray(np.asarray(values).astype(kind)).save(self.mask(name))

    def config(self, **changes):
        return {
            'type': 'BaseSegDataset',
            'data_root': str(self.root),
            'data_prefix': {'img_path': 'images', 'seg_map_path': 'masks'},
            'metainfo': {'classes': CLASSES},
            'reduce_zero_label': True,
            **changes,
        }

    def error(self, **changes):
        with pytest.raises(InputError) as caught:
            check_dataset(self.config(**changes))
        assert '\n' not in str(caught.value)
        return str(caught.value)


@pytest.fixture
def data(tmp_path):
    return Data(tmp_path)


def test_a_good_data_set_has_no_warning(data):
    assert check_dataset(data.config()).warnings == []


# ---------------------------------------------------------------------------- files


def test_missing_masks_are_counted_and_listed(data):
    for name in ('b', 'sub/d'):
        data.mask(name).unlink()
    error = data.error()
    assert f'2 of the 4 masks are not in {data.root}/masks: ' in error
    assert "'b.png', 'sub/d.png'" in error


def test_masks_with_another_suffix(data):
    error = data.error(seg_map_suffix='_labels.png')
    assert '4 of the 4 masks' in error
    assert "'a_labels.png'" in error
    assert 'seg_map_suffix' in error


def test_images_with_another_suffix(data):
    assert f"{data.root}/images: no image ends in '.jpeg'" in data.error(img_suffix='.jpeg')


def test_images_of_a_list_that_are_not_there(data):
    (data.root / 'list.txt').write_text('a\nz\n')
    assert f"1 of the 2 images are not in {data.root}/images: 'z.jpg'" in data.error(
        ann_file='list.txt'
    )


def test_a_damaged_image_is_named(data):
    data.image('c').write_bytes(b'not a picture')
    assert f'{data.image("c")}: damaged or not an image' in data.error()


# ---------------------------------------------------------------------------- headers


def test_color_coded_masks(data):
    for name in ('b', 'c'):
        Image.new('RGB', (16, 12)).save(data.mask(name))
    error = data.error()
    assert f'mask file {data.mask("b")}: is a picture of kind RGB, not an index mask' in error
    assert error.endswith('1 more of 4 masks have a fault of this kind.')


def test_masks_of_another_size(data):
    data.save_mask('sub/d', np.ones((6, 8)))
    error = data.error()
    assert f'mask file {data.mask("sub/d")}: has 8 x 6 pixels' in error
    assert f'its image {data.image("sub/d")} 16 x 12.' in error


def turn(data, name, orientation, size=(16, 12)):
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    Image.new('RGB', size).save(data.image(name), exif=exif)


def test_a_mask_drawn_on_the_turned_image_fits(data):
    turn(data, 'a', 6, size=(12, 16))
    assert check_dataset(data.config()).warnings == []


def test_a_mask_drawn_on_the_unturned_image_does_not(data):
    turn(data, 'a', 6)
    assert "color_type='color_ignore_orientation'" in data.error()
    load = {'type': 'vitbackbones.LoadImage', 'color_type': 'color_ignore_orientation'}
    assert check_dataset(data.config(pipeline=[load])).warnings == []


@pytest.mark.parametrize('orientation', [2, 3, 4])
def test_where_sizes_do_not_tell_it_is_a_warning(data, orientation):
    turn(data, 'b', orientation)
    (warning,) = check_dataset(data.config()).warnings
    assert warning.startswith('1 images have an EXIF orientation')
    assert str(data.image('b')) in warning


@pytest.mark.parametrize('kind', ['L', 'CMYK'])
def test_images_of_other_kinds_are_fine(data, kind):
    Image.new(kind, (16, 12)).save(data.image('a'))
    assert check_dataset(data.config()).warnings == []


# ---------------------------------------------------------------------------- values


def test_values_outside_the_classes(data):
    values = np.ones((12, 16))
    values[2, 3:5] = 9
    data.save_mask('c', values)
    text = f'mask file {data.mask("c")}: 2 pixels hold 9, which is no class: classes are 1 to 3'
    assert text in data.error()


def test_forgotten_reduction_is_explained(data):
    assert 'set reduce_zero_label=True' in data.error(reduce_zero_label=False)


def test_16_bit_masks(data):
    data.save_mask('a', np.full((12, 16), 3), np.uint16)
    assert check_dataset(data.config()).warnings == []
    data.save_mask('a', np.full((12, 16), 259), np.uint16)  # 3 when cut to 8 bits
    assert '192 pixels hold 259' in data.error()


def test_palette_masks(data):
    image = Image.fromarray(np.full((12, 16), 3, np.uint8), 'P')
    image.putpalette([255, 0, 0] * 256)
    image.save(data.mask('a'))
    assert check_dataset(data.config()).warnings == []


def test_a_void_class(data):
    pipeline = [{'type': 'vitbackbones.LoadMask', 'num_classes': 3, 'ignored': [3]}]
    assert check_dataset(data.config(reduce_zero_label=False, pipeline=pipeline)).warnings == []


def test_mostly_ignored_is_a_warning(data):
    for name in data.names:
        data.save_mask(name, np.arange(12 * 16).reshape(12, 16) % 4 == 0)
    (warning,) = check_dataset(data.config()).warnings
    assert 'in 4 masks 75% of the pixels are ignored (values 0); is that meant?' in warning


def test_nothing_but_ignored(data):
    for name in data.names:
        data.save_mask(name, np.zeros((12, 16)))
    assert 'in 4 masks not one pixel belongs to a class' in data.error()


def test_a_sample_of_the_values_is_read(data, monkeypatch):
    read, inner = [], mask_check.read_mask
    monkeypatch.setattr(mask_check, 'SAMPLE', 3)
    monkeypatch.setattr(mask_check, 'read_mask', lambda path: read.append(path) or inner(path))
    assert check_dataset(data.config()).warnings == []
    assert sorted(read) == [str(data.mask(name)) for name in ('a', 'c', 'sub/d')]


def test_headers_of_a_large_data_set_take_seconds(data):
    """ADE20K has 20 210 training images; a tenth of them here, without files of their own."""
    images, masks = [str(data.image('a'))] * 2021, [str(data.mask('a'))] * 2021
    start = time.process_time()
    assert (
        check_masks(images, masks, label_table(3, reduce_zero_label=True), CLASSES).warnings == []
    )
    assert time.process_time() - start < 6


def binary(data, **loading):
    """Masks of black and white, and the config of a data set of two classes."""
    for name in data.names:
        data.save_mask(name, np.arange(12 * 16).reshape(12, 16) % 2 * 255)
    return {
        'metainfo': {'classes': ('ground', 'person')},
        'reduce_zero_label': False,
        'pipeline': [{'type': 'vitbackbones.LoadMask', 'num_classes': 2, **loading}],
    }


def test_masks_of_black_and_white(data):
    config = binary(data)
    error = data.error(**config)
    assert f'{data.root}/masks: in 4 masks all pixels hold 0, 255, and 255 is ignored' in error
    assert 'LoadMask(values=[0, 255]) in every pipeline' in error
    assert '(mask[mask == 255] = 1)' in error
    assert 'all pixels hold 0, 255' in data.error(**{**config, 'reduce_zero_label': True})


def test_masks_of_black_and_white_with_their_values(data):
    findings = check_dataset(data.config(**binary(data, values=[0, 255])))
    assert findings.warnings == []
    assert findings.occurs == {'ground': 384, 'person': 384}


def test_the_classes_of_black_and_white_in_numbers(data):
    config = binary(data)
    for name in data.names:
        data.save_mask(name, np.arange(12 * 16).reshape(12, 16) % 2)
    assert check_dataset(data.config(**config)).warnings == []


def test_pixels_are_counted_by_class(data):
    data.save_mask('a', np.full((12, 16), 2))
    findings = check_dataset(data.config())
    assert findings.occurs == {'road': 144, 'sky': 336, 'tree': 144}
    assert findings.samples == 4
    assert findings.sampled == ''


@pytest.mark.parametrize(('searched', 'pixels'), [(2, 0), (4, 192)])
def test_a_missing_class_is_searched_for_beyond_the_sample(data, monkeypatch, searched, pixels):
    for name in data.names:
        data.save_mask(name, np.arange(12 * 16).reshape(12, 16) % 3)
    data.save_mask('b', np.full((12, 16), 3))
    monkeypatch.setattr(mask_check, 'SAMPLE', 1)
    monkeypatch.setattr(mask_check, 'SEARCHED', searched)
    findings = check_dataset(data.config())
    assert findings.sampled == '2 of 4 masks'
    assert findings.occurs['tree'] == pixels
    assert check_dataset(data.config(), evaluated=True).sampled == '1 of 4 masks'


def test_all_masks_are_read_before_there_is_one_class_only(data, monkeypatch):
    monkeypatch.setattr(mask_check, 'SAMPLE', 1)
    monkeypatch.setattr(mask_check, 'SEARCHED', 1)
    for name in data.names[:-1]:
        data.save_mask(name, np.ones((12, 16)))
    assert check_dataset(data.config()).occurs == {'road': 624, 'sky': 48, 'tree': 48}


def test_files_that_are_left_out_are_said(data):
    data.image('b').rename(data.image('b').with_suffix('.JPG'))
    (data.root / 'images' / 'notes.txt').touch()
    left = check_dataset(data.config()).warnings
    assert left == [
        f"{data.root}: left out are 1 images that do not end in '.jpg': 'b.JPG'",
        f"{data.root}: left out are 1 masks without an image: 'b.png'",
    ]
    (data.root / 'list.txt').write_text('a\nc\n')
    assert check_dataset(data.config(ann_file='list.txt')).warnings == []


def test_a_jpeg_is_no_mask(data):
    Image.new('L', (16, 12), 2).save(data.mask('c'), 'JPEG')
    assert f'mask file {data.mask("c")}: is a JPEG, whatever its name' in data.error()


def test_a_list_that_is_no_text(data):
    (data.root / 'list.txt').write_bytes(b'\xff\x00')
    assert f'{data.root}/list.txt: not a text' in data.error(ann_file='list.txt')


def test_links_in_a_circle(data):
    loop = data.root / 'images' / 'loop.jpg'
    loop.symlink_to(loop)
    assert f'{loop}: Too many levels of symbolic links' in data.error()


# ---------------------------------------------------------------------------- configurations


def test_classes_of_the_type_and_a_subset(data):
    assert check_dataset(data.config(type='ADE20KDataset', metainfo={})).warnings == []
    subset = {'classes': ('wall', 'building')}
    assert check_dataset(data.config(type='ADE20KDataset', metainfo=subset)).warnings == []
    assert 'subset of classes' in data.error(
        type='ADE20KDataset', metainfo={'classes': ('wall', 'Building')}
    )


@pytest.mark.parametrize('metainfo', [{}, {'classes': 'road'}, {'classes': ()}])
def test_classes_that_are_no_list(data, metainfo):
    assert 'metainfo.classes is' in data.error(metainfo=metainfo)


def test_the_loader_is_made_for_other_classes(data):
    pipeline = [{'type': 'vitbackbones.LoadMask', 'num_classes': 150}]
    error = data.error(pipeline=pipeline)
    assert "LoadMask in the pipeline is 150, but the data set has 3 classes: 'road', 'sky'" in error


def test_other_data_sets_are_left_alone(data):
    data.mask('a').unlink()
    assert check_dataset(data.config(data_prefix={'img_path': 'images'})).warnings == []
    assert check_dataset(data.config(backend_args={'backend': 'petrel'})).warnings == []
    assert check_dataset(data.config(type='mmdet.CocoDataset')).warnings == []
    with pytest.raises(InputError, match='1 of the 4 masks'):
        check_dataset(data.config())


# ---------------------------------------------------------------------------- small images


def test_images_smaller_than_the_crop_are_filled_up_with_ignored(data):
    from mmengine.dataset import pseudo_collate
    from mmengine.registry import DefaultScope
    from mmseg.registry import DATASETS, MODELS

    crop = (32, 32)
    pipeline = [
        {'type': 'vitbackbones.LoadImage'},
        {'type': 'vitbackbones.LoadMask', 'num_classes': 3},
        {'type': 'mmseg.RandomCrop', 'crop_size': crop, 'cat_max_ratio': 0.75},
        {'type': 'mmseg.PackSegInputs'},
    ]
    with DefaultScope.overwrite_default_scope('mmseg'):  # whatever was tested before
        dataset = DATASETS.build(data.config(pipeline=pipeline))
        prepare = MODELS.build({'type': 'SegDataPreProcessor', 'size': crop, 'seg_pad_val': 255})
    batch = prepare(pseudo_collate([dataset[0], dataset[1]]), training=True)
    assert batch['inputs'].shape == (2, 3, *crop)
    labels = batch['data_samples'][0].gt_sem_seg.data[0].numpy()
    assert labels.shape == crop
    assert (labels[12:] == 255).all()
    assert (labels[:, 16:] == 255).all()
    assert set(np.unique(labels[:12, :16])) == {0, 1, 2, 255}
