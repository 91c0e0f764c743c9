"""Annotated pictures as files of other tools."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml

from vitbackbones.errors import InputError
from vitbackbones.importing.pictures import Picture
from vitbackbones.importing.source import Source
from vitbackbones.importing.writing import leave_out_crowds, write_cvat, write_voc, write_yolo
from vitbackbones.importing.yolo_settings import read_settings
from vitbackbones.runtime.run_lengths import to_rle

from .forms import SIZE, picture

CLASSES = ['cat', 'dog']
BOX = {'name': 'dog', 'bbox': [4, 6, 10, 12], 'area': 120, 'iscrowd': 0, 'segmentation': []}
TRIANGLE, SQUARE = [2, 3, 12, 3, 12, 18], [20, 10, 22, 10, 22, 12, 20, 12]
OUTLINE = BOX | {'bbox': [2, 3, 10, 15], 'segmentation': [TRIANGLE]}
PARTS = BOX | {'name': 'cat', 'bbox': [2, 3, 20, 15], 'segmentation': [SQUARE, TRIANGLE]}
MASK = np.zeros(SIZE[::-1], bool)
MASK[10:13, 20:24] = [[1, 1, 0, 1], [0, 1, 1, 0], [0, 0, 1, 1]]
RUNS = BOX | {'bbox': [20, 10, 4, 3], 'segmentation': to_rle(MASK)}


@pytest.fixture
def write(tmp_path):
    """``write(form, *objects, split=None)`` writes one picture and returns the notes."""

    def call(form, *objects, split=None):
        file = picture(tmp_path / 'in' / '0.png')
        source = Source(tmp_path / 'in')
        form(source, tmp_path, [Picture(file, *SIZE, split, [*objects])], CLASSES, copy=True)
        return {what.partition(',')[0]: places for what, places in source.changes.items()}

    return call


def test_yolo(write, tmp_path):
    notes = write(write_yolo, BOX, OUTLINE, PARTS, RUNS)
    box, outline, parts, runs = (tmp_path / 'labels' / '0.txt').read_text().splitlines()
    assert box == '1 0.225 0.4 0.25 0.4'
    assert outline == parts.replace('0', '1', 1) == '1 0.05 0.1 0.3 0.1 0.3 0.6'
    assert runs.startswith('1 ')
    assert len(runs.split()) % 2 == 1
    (places,) = notes.values()
    assert [place[-8:] for place in places] == ['object 3', 'object 4']
    assert (tmp_path / 'data.yaml').read_text() == 'train: images\nnames: [cat, dog]\n'
    assert not (tmp_path / 'images' / '0.png').is_symlink()


@pytest.mark.parametrize(
    'name', ['🐶', 'Société', 'no', '12:30', 'a, b: #c', '[x]', '\x85', 'a ' * 99]
)
def test_names_of_yolo_are_read_as_they_are(tmp_path, name):
    file = picture(tmp_path / 'in' / '0.png')
    write_yolo(Source(tmp_path / 'in'), tmp_path, [Picture(file, *SIZE, None)], [name, 'x'], True)
    assert yaml.safe_load((tmp_path / 'data.yaml').read_bytes())['names'] == [name, 'x']
    assert read_settings(tmp_path / 'data.yaml')['names'] == [name, 'x']


@pytest.mark.parametrize('split', ['train', 'val'])
def test_splits_of_yolo(write, tmp_path, split):
    write(write_yolo, split=split)
    assert (tmp_path / 'labels' / split / '0.txt').read_text() == ''
    assert (tmp_path / 'images' / split / '0.png').is_file()
    assert f'{split}: images/{split}\n' in (tmp_path / 'data.yaml').read_text()


def test_voc_counts_pixels_from_1(write, tmp_path):
    notes = write(write_voc, BOX, OUTLINE | {'iscrowd': 1}, split='val')
    root = ElementTree.parse(tmp_path / 'Annotations' / '0.xml').getroot()
    size = {node.tag: node.text for node in root.find('size')}
    assert size == {'width': '40', 'height': '30', 'depth': '3'}
    assert root.findtext('filename') == '0.png'
    first, second = root.findall('object')
    box = {node.tag: float(node.text) for node in first.find('bndbox')}
    assert box == {'xmin': 5, 'ymin': 7, 'xmax': 14, 'ymax': 18}
    assert [node.findtext('name') for node in (first, second)] == ['dog', 'dog']
    assert [node.findtext('difficult') for node in (first, second)] == ['0', '1']
    assert [[place[-8:] for place in places] for places in notes.values()] == [['object 2']]
    assert (tmp_path / 'ImageSets' / 'Main' / 'val.txt').read_text() == '0\n'


def test_voc_lists_all_pictures_of_a_split(tmp_path):
    files = [picture(tmp_path / 'in' / f'{number}.png') for number in range(3)]
    pictures = [
        Picture(file, *SIZE, split, [])
        for file, split in zip(files, ('val', None, 'val'), strict=True)
    ]
    write_voc(Source(tmp_path / 'in'), tmp_path, pictures, CLASSES, copy=True)
    assert (tmp_path / 'ImageSets' / 'Main' / 'val.txt').read_text() == '0\n2\n'


def test_voc_without_splits_has_no_lists(write, tmp_path):
    assert write(write_voc, BOX) == {}
    assert not (tmp_path / 'ImageSets').exists()


def test_cvat(write, tmp_path):
    assert write(write_cvat, BOX, OUTLINE, PARTS, RUNS, split='val') == {}
    root = ElementTree.parse(tmp_path / 'annotations.xml').getroot()
    assert root.findtext('version') == '1.1'
    assert [node.text for node in root.findall('meta/task/labels/label/name')] == CLASSES
    (image,) = root.findall('image')
    about = {'id': '0', 'name': '0.png', 'width': '40', 'height': '30', 'subset': 'val'}
    assert image.attrib == about
    box, outline, one, other, mask = image
    assert [node.tag for node in image] == ['box', *['polygon'] * 3, 'mask']
    ends = [box.get(key) for key in ('xtl', 'ytl', 'xbr', 'ybr')]
    assert ends == ['4', '6', '14', '18']
    assert outline.get('points') == other.get('points') == '2,3;12,3;12,18'
    assert [node.get('group_id') for node in image] == [None, None, '3', '3', None]
    assert [node.get('label') for node in image] == ['dog', 'dog', 'cat', 'cat', 'dog']
    assert {node.get('occluded') for node in image} == {'0'}
    place = [mask.get(key) for key in ('left', 'top', 'width', 'height')]
    assert place == ['20', '10', '4', '3']
    assert mask.get('rle') == '0, 2, 1, 1, 1, 2, 3, 2'  # by rows, first of the background


def test_a_mask_that_begins_with_background(write, tmp_path):
    mask = np.zeros(SIZE[::-1], bool)
    mask[5, 6] = mask[6, 5] = True
    write(write_cvat, RUNS | {'segmentation': to_rle(mask)})
    image = ElementTree.parse(tmp_path / 'annotations.xml').getroot().find('image')
    assert image.find('mask').get('rle') == '1, 2, 1'
    assert 'subset' not in image.attrib


def test_names_for_one_folder(tmp_path):
    def named(*names):
        pictures = [Picture(picture(tmp_path / name), *SIZE, None, []) for name in names]
        write_voc(Source(tmp_path), tmp_path / 'out', pictures, CLASSES, copy=True)
        found = sorted(file.name for file in (tmp_path / 'out' / 'JPEGImages').iterdir())
        for file in (tmp_path / 'out' / 'JPEGImages').iterdir():
            file.unlink()
        return found

    assert named('in/b/1.png', 'in/a/0.png') == ['0.png', '1.png']
    assert named('in/a/0.png', 'in/b/0.png') == ['a_0.png', 'b_0.png']
    assert named('in/a/0.png', 'in/b/0.jpg') == ['a_0.png', 'b_0.jpg']
    with pytest.raises(InputError, match='several .* 0.jpg'):
        named('in/a/0.png', 'in/a/0.jpg')


def test_crowds_are_left_out_and_counted(tmp_path):
    file = picture(tmp_path / '0.png')
    source = Source(tmp_path)
    source.taken = 3
    one = Picture(file, *SIZE, None, [BOX, BOX | {'iscrowd': 1}, OUTLINE])
    leave_out_crowds(source, [one], 'YOLO')
    assert one.objects == [BOX, OUTLINE]
    assert (source.taken, source.left_out) == (2, 1)
    ((what, places),) = source.changes.items()
    assert 'YOLO' in what
    assert places == [f'{file}: object 2']


@pytest.mark.parametrize(('name', 'is_held'), [('a\tb', True), ('ä€😀', True), ('a\x01', False)])
def test_characters_of_xml(write, tmp_path, name, is_held):
    if is_held:
        write(write_voc, BOX | {'name': name})
        root = ElementTree.parse(tmp_path / 'Annotations' / '0.xml').getroot()
        assert re.sub(r'\s', ' ', root.findtext('object/name')) == re.sub(r'\s', ' ', name)
        return
    with pytest.raises(InputError, match='XML'):
        write(write_voc, BOX | {'name': name})
