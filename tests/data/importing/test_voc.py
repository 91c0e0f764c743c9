"""Pascal VOC's form: every fault is named by its file, and what is changed is counted."""

import re
from pathlib import Path

import pytest
from PIL import Image

from vitbackbones.data.importing.source import Source
from vitbackbones.data.importing.voc import read_voc

from .forms import picture, voc, voc_object

CAT = voc_object('cat', 1, 1, 10, 20)
LAUGHS = ''.join(
    f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' if i else '<!ENTITY a0 "ha">' for i in range(10)
)


def read(root):
    """Return name, box and crowd of all objects, and what was changed with the number of places."""
    source = Source(root)
    pictures, _ = read_voc(source)
    assert source.faults == []
    found = [(e['name'], e['bbox'], e['iscrowd']) for p in pictures for e in p.objects]
    return found, {what: len(places) for what, places in source.changes.items()}


def faults(root):
    source = Source(root)
    pictures, _ = read_voc(source)
    return source.faults, [picture.path.name for picture in pictures]


def test_pixels_count_from_1_and_the_last_one_is_inside(tmp_path):
    picture(tmp_path / '0.png')
    voc(tmp_path / '0.xml', CAT, voc_object('dog', 21, 11, 40, 30, difficult=1))
    found, changes = read(tmp_path)
    assert found == [('cat', [0, 0, 10, 20], 0), ('dog', [20, 10, 20, 20], 1)]
    assert changes == {'difficult objects, neither learned nor counted (iscrowd)': 1}


def test_a_corner_of_0_says_that_pixels_count_from_0(tmp_path):
    for name in '01':
        picture(tmp_path / f'{name}.png')
    voc(tmp_path / '0.xml', CAT)
    voc(tmp_path / '1.xml', voc_object('cat', 5, 0, 10, 20))
    found, changes = read(tmp_path)
    assert [box for _, box, _ in found] == [[1, 1, 9, 19], [5, 0, 5, 20]]
    assert changes == {'boxes with a corner at 0, so all count pixels from 0, not from 1': 1}


def test_vocs_own_folders_and_lists(tmp_path):
    lists = tmp_path / 'ImageSets' / 'Main'
    lists.mkdir(parents=True)
    for name in 'abcde':
        picture(tmp_path / 'JPEGImages' / f'{name}.jpg')
        voc(tmp_path / 'Annotations' / f'{name}.xml', CAT)
    (lists / 'trainval.txt').write_text('a\nb\n')
    (lists / 'val.txt').write_text('b\n')
    (lists / 'test.txt').write_text('c\n')
    (tmp_path / 'Annotations' / 'e.xml').unlink()
    source = Source(tmp_path)
    pictures, classes = read_voc(source)
    splits = {picture.path.stem: picture.split for picture in pictures}
    assert splits == {'a': 'train', 'b': 'val', 'c': 'test'}
    assert (classes, source.faults) == (['cat'], [])
    unlisted, without = source.changes.items()
    assert 'ImageSets/Main lacks' in unlisted[0]
    assert [Path(place).name for _, (place,) in (unlisted, without)] == ['d.jpg', 'e.jpg']


def test_a_doctype_in_another_encoding_is_found(tmp_path):
    picture(tmp_path / '0.png')
    text = f'<!DOCTYPE a [{LAUGHS}]><a>&a9;</a>'
    (tmp_path / '0.xml').write_text(text, encoding='utf-16')
    (fault,), _ = faults(tmp_path)
    assert 'has a DOCTYPE' in fault


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('<html/>', 'its root is <html>, not <annotation>'),
        (voc_object(' ', 1, 1, 5, 5), 'object 1 has no <name>'),
        (voc_object('cat', 1, 1, 'x', 5), 'object 1 has no <bndbox> of four numbers'),
        (
            '<size><width>30</width><height>40</height></size>',
            'is of a picture of 30 x 40 pixels, .* 40 x 30',
        ),
        (f'<!DOCTYPE a [{LAUGHS}]><a>&a9;</a>', 'has a DOCTYPE'),
        ('<a>', 'not an XML file that can be read: no element found'),
    ],
    ids=lambda text: text[:30],
)
def test_one_bad_file_is_named_and_the_others_are_read(tmp_path, text, message):
    for name in '01':
        picture(tmp_path / f'{name}.png')
        voc(tmp_path / f'{name}.xml', CAT)
    whole = text if text.startswith(('<object', '<size')) else ''
    (tmp_path / '0.xml').write_text(f'<annotation>{whole}</annotation>' if whole else text)
    (fault,), kept = faults(tmp_path)
    assert re.search(rf'/0\.xml.*{message}', fault)
    assert fault.count('.xml') == 1
    assert kept == ['1.png']


def test_a_picture_that_is_turned_when_it_is_loaded(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    picture(tmp_path / '0.jpg', exif=exif)
    voc(tmp_path / '0.xml', CAT, size=(30, 40))
    assert read(tmp_path)[0] == [('cat', [0, 0, 10, 20], 0)]
    voc(tmp_path / '0.xml', CAT, size=(40, 30))
    (fault,), _ = faults(tmp_path)
    assert 'is of a picture of 40 x 30' in fault
