"""The check of images and masks: one clear message for each fault, none for good ones."""

import numpy as np
import pytest
from PIL import Image

from vitbackbones.data.checks import masks as mask_check
from vitbackbones.data.checks.masks import check_dataset
from vitbackbones.errors import InputError
from vitbackbones.utils.orientation import ORIENTATION

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


def test_missing_masks_are_counted_and_listed(data):
    for name in ('b', 'sub/d'):
        data.mask(name).unlink()
    error = data.error()
    assert f"2 of the 4 masks are not in {data.root}/masks: 'b.png', 'sub/d.png'" in error
    error = data.error(seg_map_suffix='_labels.png')
    assert '4 of the 4 masks are not in' in error
    assert "'a_labels.png'" in error


def test_masks_whose_links_lead_nowhere_are_named(data):
    data.mask('b').unlink()
    data.mask('b').symlink_to(data.root / 'moved.png')
    assert '1 of the 4 masks are not in' in data.error()
    assert f'Links point to {data.root}/moved.png, which no longer exists' in data.error()


def test_images_that_are_not_found(data):
    assert f"{data.root}/images: no image name ends in '.jpeg'" in data.error(img_suffix='.jpeg')
    (data.root / 'list.txt').write_text('a\nz\n')
    error = data.error(ann_file='list.txt')
    assert f"1 of the 2 images are not in {data.root}/images: 'z.jpg'" in error


def test_files_that_are_left_out_are_said(data):
    data.image('b').rename(data.image('b').with_suffix('.JPG'))
    (data.root / 'images' / 'notes.txt').touch()
    (left,) = check_dataset(data.config()).warnings
    assert (
        left
        == f"{data.root}: 1 images are skipped because their names do not end in '.jpg': 'b.JPG'"
    )
    (data.root / 'list.txt').write_text('a\nc\n')
    assert check_dataset(data.config(ann_file='list.txt')).warnings == []


def test_a_damaged_image_is_named(data):
    data.image('c').write_bytes(b'not a picture')
    assert f'{data.image("c")}: damaged or not an image' in data.error()


def test_masks_that_are_no_index_masks(data):
    data.save_mask('sub/d', np.ones((6, 8)))
    text = f'mask file {data.mask("sub/d")}: has 8 x 6 pixels, but its image {data.image("sub/d")} '
    assert text in data.error()
    Image.new('RGB', (16, 12), 'red').save(data.mask('b'))
    error = data.error()
    assert f'mask file {data.mask("b")}: is an image of mode RGB, not an index mask' in error
    assert error.endswith('2 of 4 masks have a problem of this kind.')


def turn(data, name, orientation, size=(16, 12)):
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    Image.new('RGB', size).save(data.image(name), exif=exif)


def test_a_mask_is_drawn_on_the_turned_image(data):
    turn(data, 'a', 6, size=(12, 16))
    assert check_dataset(data.config()).warnings == []
    turn(data, 'a', 6)
    assert "color_type='color_ignore_orientation'" in data.error()
    load = {'type': 'vitbackbones.LoadImage', 'color_type': 'color_ignore_orientation'}
    assert check_dataset(data.config(pipeline=[load])).warnings == []


def test_mostly_ignored_is_a_warning(data):
    for name in data.names:
        data.save_mask(name, np.arange(12 * 16).reshape(12, 16) % 4 == 0)
    (warning,) = check_dataset(data.config()).warnings
    assert 'in 4 masks 75% of the pixels are ignored (values 0). Is this intended?' in warning
    for name in data.names:
        data.save_mask(name, np.zeros((12, 16)))
    assert 'in 4 masks no pixel belongs to a class' in data.error()


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
    assert (
        f'{data.root}/masks: in 4 masks all pixels have the values 0, 255, and 255 is ignored'
        in error
    )
    assert 'LoadMask(values=[0, 255]) in every pipeline' in error
    assert '(mask[mask == 255] = 1)' in error
    assert 'all pixels have the values 0, 255' in data.error(
        **{**config, 'reduce_zero_label': True}
    )
    findings = check_dataset(data.config(**binary(data, values=[0, 255])))
    assert findings.warnings == []
    assert findings.occurs == {'ground': 384, 'person': 384}


def test_a_sample_of_the_masks_is_read(data, monkeypatch):
    monkeypatch.setattr(mask_check, 'SAMPLE', 3)
    monkeypatch.setattr(mask_check, 'TESTED', 1)
    assert check_dataset(data.config()).sampled == '3 of 4 masks'
    assert check_dataset(data.config(), evaluated=True).occurs['tree'] == 48


def test_classes_of_the_type_and_a_subset(data):
    assert check_dataset(data.config(type='ADE20KDataset', metainfo={})).warnings == []
    subset = {'classes': ('wall', 'building')}
    assert check_dataset(data.config(type='ADE20KDataset', metainfo=subset)).warnings == []
    other = {'classes': ('wall', 'Building')}
    assert 'subset of classes' in data.error(type='ADE20KDataset', metainfo=other)
    assert "metainfo.classes is 'road'" in data.error(metainfo={'classes': 'road'})


def test_the_loader_is_made_for_other_classes(data):
    pipeline = [{'type': 'vitbackbones.LoadMask', 'num_classes': 150}]
    error = data.error(pipeline=pipeline)
    assert "LoadMask in the pipeline is 150, but the dataset has 3 classes: 'road', 'sky'" in error


def test_other_data_sets_are_left_alone(data):
    data.mask('a').unlink()
    assert check_dataset(data.config(data_prefix={'img_path': 'images'})).warnings == []
    assert check_dataset(data.config(backend_args={'backend': 'petrel'})).warnings == []
    assert check_dataset(data.config(type='mmdet.CocoDataset')).warnings == []
    with pytest.raises(InputError, match='1 of the 4 masks'):
        check_dataset(data.config())
