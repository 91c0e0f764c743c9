"""The check of a data set: one clear message for each fault, none for a good one."""

import pytest
from PIL import Image

from vitbackbones.data.checks import coco as coco_check
from vitbackbones.data.checks.coco import check_dataset
from vitbackbones.data.checks.findings import Findings
from vitbackbones.errors import InputError
from vitbackbones.utils.orientation import ORIENTATION

from .coco_data import Data


@pytest.fixture
def data(tmp_path):
    return Data(tmp_path)


@pytest.mark.parametrize('key', ['image_id', 'category_id'])
def test_unknown_references(data, key):
    data.content['annotations'][1][key] = 99
    message = f'the file does not define the {key} of 1 annotation (ids 2): 99.'
    assert message in data.error()


def test_categories_outside_the_classes(data):
    error = data.error(classes=('Cat', 'bird'))  # names are compared as they are written
    assert "'cat' (id 3), 'dog' (id 7); it has 'Cat', 'bird'" in error
    assert "Set metainfo.classes of every dataset to the names in the file ('cat', 'dog')" in error
    assert 'num_classes of the model to their number, 2' in error


def test_categories_that_nothing_uses(data):
    data.content['categories'] += [{'id': 8, 'name': 'thing'}, {'id': 9, 'name': 'thing'}]
    assert data.check() == []
    config = data.config(metainfo={'classes': ('cat', 'dog', 'cow')})
    assert check_dataset(config).occurs == {'cat': 1, 'dog': 2, 'cow': 0}
    data.content['categories'][2]['name'] = 'dog'
    assert "category names used more than once: 'dog'" in data.error()


def test_labels_that_mmdet_would_shift_are_a_warning(data):
    classes = ('cow', 'cat', 'dog')
    (warning,) = data.check(classes=classes)
    assert f"label 0 is 'cat' but is shown as {classes[0]!r}" in warning


def test_missing_pictures_are_counted_and_listed(data):
    (data.folder / 'sub' / 'b.jpg').unlink()
    error = data.error()
    assert f'1 of the 2 images of {data.ann_file} are not in {data.folder}' in error
    assert "'sub/b.jpg'" in error


def test_the_first_picture_is_decoded(data):
    (data.folder / 'a.jpg').write_bytes(b'not a picture')
    assert f'image file {data.folder}/a.jpg: truncated, damaged or not an image' in data.error()


def test_sizes_of_a_sample_of_the_pictures_are_compared(data, monkeypatch):
    data.content['images'][1].update(width=41)
    (warning,) = data.check()
    assert 'width and height of 1 of 2 images differ from the files: sub/b.jpg is' in warning
    assert 'sub/b.jpg is listed as 41 x 30 pixels but has 40 x 30. If' in warning
    monkeypatch.setattr(coco_check, 'SIZES', 1)
    assert data.check() == []


def test_pictures_that_exif_turns(data):
    exif = Image.Exif()
    exif[ORIENTATION] = 6
    Image.new('RGB', (40, 30)).save(data.folder / 'a.jpg', exif=exif)
    (warning,) = data.check()
    assert 'a.jpg is listed as 40 x 30 pixels but has 30 x 40 (width and height are' in warning
    assert data.check(load='color_ignore_orientation') == []
    data.content['images'][0].update(width=30, height=40)
    assert data.check() == []


FAULTS = {
    'negative': ({'bbox': [9, 9, -5, -5]}, 'empty, negative or thinner than a pixel', True),
    'left of it': ({'bbox': [-9, 3, 5, 5]}, 'boxes outside their image', True),
    'no area': ({'area': 0}, "annotations with an 'area' of 0 or less", True),
    'beyond': ({'bbox': [30, 3, 15, 5]}, 'boxes that extend beyond the edge', False),
}


@pytest.mark.parametrize('fault', FAULTS)
def test_doubtful_boxes_are_a_warning_that_is_true(data, fault):
    change, message, dropped = FAULTS[fault]
    data.content['annotations'][2].update(change)
    (warning,) = data.check()
    assert message in warning
    assert warning.endswith(': 1 (annotation ids 3)')
    assert check_dataset(data.config()).occurs == {'cat': 1, 'dog': 2 - dropped}


def test_boxes_in_fractions_of_the_image_leave_nothing(data):
    for annotation in data.content['annotations']:
        annotation['bbox'] = [0.1, 0.1, 0.5, 0.5]
    assert 'no usable box: all 3' in data.error()
    assert 'not fractions' in data.error()


@pytest.mark.parametrize('mark', ['iscrowd', 'ignore'])
def test_marked_boxes_are_no_objects(data, mark):
    for annotation in data.content['annotations']:
        annotation[mark] = 1
    data.content['annotations'][0][mark] = 0
    assert check_dataset(data.config()).occurs == {'cat': 1, 'dog': 0}


@pytest.mark.parametrize(
    ('options', 'samples'),
    [({'filter_empty_gt': True}, 1), ({'min_size': 31}, 1), ({'min_size': 30}, 2)],
)
def test_the_filter_leaves_as_many_images_as_mmdet(data, options, samples):
    from mmdet.datasets import CocoDataset

    data.content['images'][1]['height'] = 40
    data.content['annotations'] = data.content['annotations'][1:]
    config = data.config(filter_cfg=options)
    assert check_dataset(config).samples == samples
    del config['type']
    assert len(CocoDataset(**config)) == samples
    with pytest.raises(
        InputError, match='excludes all 2 images: 0 have sides of at least min_size'
    ):
        check_dataset(data.config(filter_cfg={'min_size': 41}))


def test_a_side_of_just_the_least_size_is_left(data):
    assert check_dataset(data.config(filter_cfg={'min_size': 30})).samples == 2
    assert check_dataset(data.config(filter_cfg={'filter_empty_gt': True})).samples == 2
    assert check_dataset(data.config()).samples == 2
    for image in data.content['images']:
        image['height'] = 1
    data.content['annotations'] = [
        {**entry, 'bbox': [0, 0, 9, 1], 'area': 9} for entry in data.content['annotations']
    ]
    for image in data.content['images']:
        Image.new('RGB', (40, 1)).save(data.folder / image['file_name'])
    assert check_dataset(data.config(filter_cfg={'filter_empty_gt': True})).samples == 2
    with pytest.raises(InputError, match='0 have sides of at least min_size=2'):
        check_dataset(data.config(filter_cfg={'min_size': 2}))


def test_pictures_without_annotations_are_named_by_their_files(data):
    data.content['annotations'].pop(0)
    (warning,) = data.check()
    assert "1 image without annotations: 'a.jpg'. If objects are visible there" in warning


def test_evaluation_needs_iscrowd(data):
    assert data.check() == []
    assert "3 annotations (ids 1, 2, 3) have no 'iscrowd' of 0 or 1" in data.error(evaluated=True)
    for annotation in data.content['annotations']:
        annotation['iscrowd'] = 0
    assert data.check(evaluated=True) == []


def test_annotation_0_is_never_found_by_coco_evaluation(data):
    for annotation in data.content['annotations']:
        annotation.update(iscrowd=0, id=annotation['id'] - 1)
    (warning,) = data.check(evaluated=True)
    assert 'never counts annotation id 0 as found' in warning


def test_evaluation_needs_numbers_as_annotation_ids(data):
    for annotation in data.content['annotations']:
        annotation['iscrowd'] = 0
    data.content['annotations'][2]['id'] = 'ann_7'
    assert "1 annotation ids are not numbers ('ann_7')" in data.error(evaluated=True)
    assert data.check() == []  # training can


@pytest.mark.parametrize(
    ('changes', 'message'),
    [
        ({'test_mode': True}, "have no 'iscrowd'"),  # it is taken as evaluated
        ({'metainfo': {'classes': 'cat'}}, "classes is the text 'cat'; write a tuple"),
        ({'data_prefix': {'img_path': 'images'}}, 'requires data_prefix=dict(img=...)'),
        ({'ann_file': 'nowhere.json'}, 'nowhere.json'),
    ],
)
def test_configurations_that_are_refused(data, changes, message):
    assert message in data.error(**changes)


def test_other_data_sets_and_remote_files_are_left_alone(data):
    config = data.config(ann_file='nowhere.json')
    assert check_dataset({**config, 'type': 'LVISV1Dataset'}) == Findings()
    assert check_dataset({**config, 'type': 'mmseg.ADE20KDataset'}) == Findings()
    assert check_dataset({**config, 'type': 'NoSuchDataset'}) == Findings()
    assert check_dataset({**config, 'type': dict}) == Findings()
    assert check_dataset({**config, 'backend_args': {'backend': 'petrel'}}) == Findings()


def test_crowds_alone_teach_nothing(data):
    for entry in data.content['annotations']:
        entry['iscrowd'] = 1
    assert 'all 3 annotations are crowds ("iscrowd": 1) or ignored' in data.error()


def test_a_picture_under_two_ids_is_named(data):
    first = data.content['images'][0]
    data.content['images'].append({**first, 'id': 5, 'file_name': './a.jpg'})
    assert any("1 image listed under several ids ('a.jpg')" in text for text in data.check())


def test_links_to_what_is_gone_are_told_from_files_that_are_not_there(data):
    (data.folder / 'a.jpg').unlink()
    (data.folder / 'a.jpg').symlink_to(data.root / 'moved' / 'a.jpg')
    text = data.error()
    assert text.startswith('1 of the 2 images of ')
    assert text.endswith('moved/a.jpg, which no longer exists. Import again with --copy.')


@pytest.mark.parametrize('crowds', [1, 2])
def test_many_crowds_are_said(data, crowds):
    """Of pycococreator, every object in run lengths is one."""
    content = data.content['annotations']
    content += [{**content[0], 'id': 10 + i} for i in range(24 - len(content))]
    for entry in content[:crowds]:
        entry['iscrowd'] = 1
    found = [line for line in data.check() if 'crowds ("iscrowd": 1)' in line]
    assert len(found) == (crowds == 2)
    assert all('neither trained on nor counted: 2 (annotation ids 1, 2)' in line for line in found)
