"""Pascal VOC's form: every fault is named by its file, and what is changed is counted."""

import re
from pathlib import Path

import pytest
from PIL import Image

from vitbackbones.errors import InputError
from vitbackbones.importing.source import Source
from vitbackbones.importing.xml_files import read_voc

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
    assert changes == {'difficult objects, neither trained on nor counted (iscrowd)': 1}


def test_a_corner_of_0_says_that_pixels_count_from_0(tmp_path):
    for name in '01':
        picture(tmp_path / f'{name}.png')
    voc(tmp_path / '0.xml', CAT)
    voc(tmp_path / '1.xml', voc_object('cat', 5, 0, 10, 20))
    found, changes = read(tmp_path)
    assert [box for _, box, _ in found] == [[1, 1, 9, 19], [5, 0, 5, 20]]
    assert changes == {
        'boxes with a corner at 0, so all coordinates are read from 0 instead of 1': 1
    }


def test_sides_in_place_of_the_second_corner_are_refused(tmp_path):
    for name in '01':
        picture(tmp_path / f'{name}.png')
    boxes = [voc_object('cat', x, 2, 9, 8) for x in (4, 12, 20, 28)]
    voc(tmp_path / '0.xml', *boxes)
    voc(tmp_path / '1.xml', voc_object('cat', 3, 12, 30, 10))
    with pytest.raises(
        InputError, match='seem to be widths and heights. 4 of 5 boxes have an xmax'
    ):
        read(tmp_path)
    voc(tmp_path / '1.xml', voc_object('cat', 38, 28, 12, 10))  # not inside with these sides
    found, changes = read(tmp_path)
    assert found[-1][1] == [12, 10, 25, 17]
    assert changes['boxes with corners in another order, reordered'] == 4


def test_a_box_in_fractions_of_its_image_is_named(tmp_path):
    picture(tmp_path / '0.png')
    voc(tmp_path / '0.xml', CAT, voc_object('cat', 0.1, 0.2, 0.5, 0.75))
    message = f'{tmp_path / "0.xml"}: object 2 has a box in fractions of the image. Write it in'
    assert faults(tmp_path)[0][0].startswith(message)


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
    assert 'not in ImageSets/Main' in unlisted[0]
    assert [Path(place).name for _, (place,) in (unlisted, without)] == ['d.jpg', 'e.jpg']


def test_train_counts_before_val_where_lists_have_the_same_pictures(tmp_path):
    for name in 'abc':
        picture(tmp_path / 'JPEGImages' / f'{name}.jpg')
        voc(tmp_path / 'Annotations' / f'{name}.xml', CAT)
    (tmp_path / 'ImageSets' / 'Main').mkdir(parents=True)
    for split, names in {'trainval': 'ab', 'train': 'ab', 'val': 'ab', 'test': 'bc'}.items():
        (tmp_path / 'ImageSets' / 'Main' / f'{split}.txt').write_text('\n'.join(names))
    source = Source(tmp_path)
    pictures, _ = read_voc(source)
    assert [picture.split for picture in pictures] == ['train', 'train', 'test']
    ((what, places),) = source.changes.items()
    assert what.startswith('images in several lists; train takes precedence over val')
    assert [place.rpartition('Main')[2] for place in places] == [
        '/val.txt: b',
        '/train.txt: a',
        '/train.txt: b',
    ]


@pytest.mark.parametrize(
    ('line', 'listed'),
    [
        ('a b', True),
        ('a b.jpg', True),
        ('images\\a b.jpg', True),
        ('./x/a b.xml', True),
        ('a b  1', True),
        ('a', False),
    ],
)
def test_lines_of_lists_are_names_paths_or_files(tmp_path, line, listed):
    for name in ('a b', 'c'):
        picture(tmp_path / 'JPEGImages' / f'{name}.jpg')
        voc(tmp_path / 'Annotations' / f'{name}.xml', CAT)
    (tmp_path / 'ImageSets' / 'Main').mkdir(parents=True)
    (tmp_path / 'ImageSets' / 'Main' / 'val.txt').write_text(f'{line}\n\nc\n')
    (tmp_path / 'train.txt').write_text('c\n')
    source = Source(tmp_path)
    pictures, _ = read_voc(source)
    assert ('a b' in {picture.path.stem for picture in pictures}) == listed
    assert ('names in lists without an image' in source.changes) != listed
    assert len(source.changes['lists of images outside ImageSets, not used']) == 1


def test_lists_may_lie_in_image_sets_itself(tmp_path):
    for name in 'ab':
        picture(tmp_path / 'JPEGImages' / f'{name}.jpg')
        voc(tmp_path / 'Annotations' / f'{name}.xml', CAT)
        (tmp_path / 'ImageSets' / 'Layout').mkdir(parents=True, exist_ok=True)
        (tmp_path / 'ImageSets' / 'Layout' / 'train.txt').write_text('b')
        (tmp_path / 'ImageSets' / f'{"train" if name == "a" else "val"}.txt').write_text(name)
    source = Source(tmp_path)
    pictures, _ = read_voc(source)
    assert ([picture.split for picture in pictures], source.changes) == (['train', 'val'], {})


def test_every_box_of_an_object_counts_and_its_parts_are_named(tmp_path):
    box = voc_object('cat', 1, 1, 10, 20)
    corners = box[box.index('<bndbox>') : box.index('</object>')]
    second = box.replace('</object>', corners.replace('10', '30') + '</object>')
    turned = '<robndbox><cx>20</cx><cy>10</cy><w>8</w><h>4</h><angle>1.5707963</angle></robndbox>'
    part = f'<part><name>head</name>{corners}</part>'
    points = ''.join(f'<pt><x>{x}</x><y>{y}</y></pt>' for x, y in ((1, 1), (9, 1), (9, 9)))
    numbered = '<x1>1</x1><y1>2</y1><x2>9</x2><y2>2</y2><x3>9</x3><y3>9</y3>'
    picture(tmp_path / '0.png')
    voc(
        tmp_path / '0.xml',
        f'{second}<object><name>dog</name>{turned}</object>',
        f'<object><name>fox</name><polygon>{points}</polygon><polygon>{numbered}</polygon></object>',
        voc_object('ant', 11, 1, 20, 20).replace('</object>', f'{part}</object>'),
        voc_object('bee', 11, 1, 20, 20, polygon=numbered),
    )
    found, changes = read(tmp_path)
    assert [(name, box) for name, box, _ in found if name != 'dog'] == [
        ('cat', [0, 0, 10, 20]),
        ('cat', [0, 0, 30, 20]),
        ('fox', [1, 1, 8, 8]),
        ('fox', [1, 2, 8, 7]),
        ('ant', [10, 0, 10, 20]),
        ('bee', [10, 0, 10, 20]),
    ]
    assert found[2][1] == pytest.approx([18, 6, 4, 8], abs=1e-5)
    assert changes == {
        'parts of objects, left out': 1,
        'outlines of objects that also have a box, left out': 1,
    }


@pytest.mark.parametrize('width', ['40.0', '', ' 40 ', '0', '4e1'])
def test_sizes_are_numbers_or_missing(tmp_path, width):
    picture(tmp_path / '0.png')
    voc(tmp_path / '0.xml', CAT, size=(width, '30'))
    assert len(read(tmp_path)[0]) == 1


def test_a_file_goes_by_the_picture_that_it_names_and_others_are_left_out(tmp_path):
    picture(tmp_path / 'pictures' / 'IMG 1 & 2.png')
    file = voc(tmp_path / 'xml' / '000.xml', CAT)
    file.write_text(file.read_text().replace('000.png', 'IMG 1 &amp; 2.png'))
    (tmp_path / 'pom.xml').write_text('<!DOCTYPE x><project/>')
    (tmp_path / 'annotations.xml').write_text('<annotations><image/></annotations>')
    found, changes = read(tmp_path)
    assert len(found) == 1
    assert changes == {
        'annotation files in other folders than their images, matched by the image that they '
        'name': 1,
        'files with other content, left out': 2,
    }


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
        ('<size><width>wide</width></size>', "gives 'wide'"),
        ('<object><name>cat</name></object>', 'object 1 has no <bndbox>'),
        (
            '<object><name>c</name><polygon><x1>1</x1></polygon></object>',
            'with fewer than three',
        ),
        ('<object/><bndbox/>', 'has boxes outside its <object> entries'),
        (voc_object(' ', 1, 1, 5, 5), 'object 1 has no <name>'),
        (voc_object('cat', 1, 1, 'x', 5), 'object 1 has no <bndbox> with four numbers'),
        (
            '<size><width>30</width><height>40</height></size>',
            'describes an image of 30 x 40 pixels, .* 40 x 30',
        ),
        (f'<!DOCTYPE a [{LAUGHS}]><a>&a9;</a>', 'has a DOCTYPE'),
        ('<a>', 'is not a readable XML file: no element found'),
        ('<?xml version="1.0" encoding="gb2312"?><a/>', 'encodings .* Save it as UTF-8'),
        ('version https://git-lfs.github.com/spec/v1\noid', 'is a Git LFS pointer'),
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


def test_a_picture_that_git_did_not_fetch_is_named_with_what_to_do(tmp_path):
    for name in '01':
        picture(tmp_path / f'{name}.png')
        voc(tmp_path / f'{name}.xml', CAT)
    (tmp_path / '0.png').write_text('version https://git-lfs.github.com/spec/v1\noid\n')
    (fault,), kept = faults(tmp_path)
    assert 'is a Git LFS pointer' in fault
    assert 'Run "git lfs pull" to fetch it' in fault
    assert kept == ['1.png']


def test_a_picture_that_is_turned_when_it_is_loaded(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    picture(tmp_path / '0.jpg', exif=exif)
    voc(tmp_path / '0.xml', CAT, size=(30, 40))
    assert read(tmp_path)[0] == [('cat', [0, 0, 10, 20], 0)]
    voc(tmp_path / '0.xml', CAT, size=(40, 30))
    (fault,), _ = faults(tmp_path)
    assert 'describes an image of 40 x 30' in fault
