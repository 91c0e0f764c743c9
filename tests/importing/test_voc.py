"""Pascal VOC's form: every fault is named by its file, and what is changed is counted."""

import pytest
from PIL import Image

from vitbackbones.errors import InputError
from vitbackbones.importing.notes import Notes
from vitbackbones.importing.voc import read_voc

from .forms import picture, voc, voc_object

CAT = voc_object('cat', 1, 1, 10, 20)


def things(root, notes=None):
    """Return what is on the only picture, as (name, box, crowd)."""
    notes = notes or Notes()
    ((read,), _) = read_voc(root, notes)
    assert notes.faults == []
    return [(thing.name, thing.box, thing.crowd) for thing in read.things]


def test_pixels_count_from_1_and_the_last_one_is_inside(tmp_path):
    picture(tmp_path / '0.png')
    hard = voc_object('dog', 21, 11, 40, 30, difficult=1)
    voc(tmp_path / '0.xml', CAT, hard)
    assert things(tmp_path) == [
        ('cat', (0, 0, 10, 20), False),
        ('dog', (20, 10, 20, 20), True),
    ]


def test_a_corner_of_0_says_that_pixels_count_from_0(tmp_path):
    picture(tmp_path / '0.png')
    voc(tmp_path / '0.xml', voc_object('cat', 0, 5, 10, 20))
    notes = Notes()
    assert things(tmp_path, notes) == [('cat', (0, 5, 10, 15), False)]
    assert 'count pixels from 0, not from 1' in notes.lines()[0]
    assert notes.lines()[0].endswith(f': 1 ({tmp_path}/0.xml)')


def test_boxes_are_brought_inside_and_counted(tmp_path):
    picture(tmp_path / '0.png')
    corners = [(30, 1, 11, 10), (31, 21, 42, 31), (5, 5, 5, 30), (31, 21, 40, 30), (41, 1, 42, 5)]
    voc(tmp_path / '0.xml', *(voc_object('cat', *each) for each in corners))
    notes = Notes()
    boxes = [box for _, box, _ in things(tmp_path, notes)]
    assert boxes == [(11, 0, 18, 10), (30, 20, 10, 10), (4, 4, 1, 26)]
    assert {line.partition(' (')[0] for line in notes.lines()} == {
        'boxes with corners in another order, exchanged: 1',
        'boxes beyond the edge of their picture, cut: 2',
        'boxes outside of their picture or thinner than a pixel, left out: 1',
        'objects that are there twice, taken once: 1',
    }


def test_vocs_own_folders_and_lists(tmp_path):
    for name, split in (('a', 'train'), ('b', 'val'), ('c', 'test'), ('d', '')):
        picture(tmp_path / 'JPEGImages' / f'{name}.jpg')
        voc(tmp_path / 'Annotations' / f'{name}.xml', CAT, filename=f'C:\\photos\\{name}.jpg')
        if split:
            file = tmp_path / 'ImageSets' / 'Main' / f'{split}.txt'
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f'{name}\n')
    notes = Notes()
    pictures, classes = read_voc(tmp_path, notes)
    assert [(each.path.stem, each.split) for each in pictures] == [
        ('a', 'train'),
        ('b', 'val'),
        ('c', 'test'),
    ]
    assert (classes, notes.faults) == (['cat'], [])
    assert 'd.jpg' in notes.lines()[0]


def test_one_name_in_two_folders_is_the_picture_nearest_to_the_file(tmp_path):
    for folder in ('a', 'b'):
        picture(tmp_path / folder / 'images' / '0.png')
        voc(tmp_path / folder / 'xml' / '0.xml', CAT)
    pictures, _ = read_voc(tmp_path, Notes())
    assert [each.path.parts[-3] for each in pictures] == ['a', 'b']


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('<html/>', 'its root is <html>, not <annotation>'),
        ('<annotation><object><name>cat</name></object></annotation>', 'object 1 has no <bndbox>'),
        ('<annotation><object><bndbox/></object></annotation>', 'object 1 has no <name>'),
        (voc_object('cat', 1, 1, 'x', 5), "object 1: bndbox/xmax is 'x', not a number"),
        (voc_object('cat', 1, 1, 'inf', 5), "object 1: bndbox/xmax is 'inf', not a number"),
        (voc_object('cat', 100, 1, 200, 5), 'the coordinate 99 is far outside .* 40 x 30 pixels'),
        ('<size><width>80</width><height>60</height></size>', 'is given as 80 x 60 pixels and has'),
        ('<filename>../../0.png</filename>', ''),
        ('<filename>../../secret.png</filename>', ''),  # the file's own name says which it is
    ],
)
def test_one_bad_file_is_named_and_the_others_are_read(tmp_path, text, message):
    for name in ('0', '1'):
        picture(tmp_path / f'{name}.png')
    voc(tmp_path / '1.xml', CAT)
    whole = (
        text if text.startswith(('<html', '<annotation')) else f'<annotation>{text}</annotation>'
    )
    (tmp_path / '0.xml').write_text(whole)
    notes = Notes()
    pictures, _ = read_voc(tmp_path, notes)
    if message:
        pytest.raises(InputError, refuse, notes.faults).match(rf'0\.xml.*{message}')
        assert [each.path.stem for each in pictures] == ['1']
    else:
        assert notes.faults == []


def refuse(faults):
    raise InputError('\n'.join(faults))


def test_a_missing_picture_and_one_with_two_files(tmp_path):
    picture(tmp_path / '0.png')
    picture(tmp_path / 'a' / '2.png')
    picture(tmp_path / 'b' / '2.png')
    voc(tmp_path / '0.xml', CAT)
    voc(tmp_path / '00.xml', CAT, filename='0.png')
    voc(tmp_path / '1.xml', CAT)
    voc(tmp_path / '2.xml', CAT)
    notes = Notes()
    read_voc(tmp_path, notes)
    twice, missing, several = notes.faults
    assert '00.xml: ' in twice
    assert 'has another XML file too' in twice
    assert f"1.xml: its picture '1.png' is not in {tmp_path} or below" in missing
    assert '2.xml: there are several pictures of its name' in several


def test_a_picture_that_is_cut_short(tmp_path):
    file = picture(tmp_path / '0.jpg')
    file.write_bytes(file.read_bytes()[:-300])
    voc(tmp_path / '0.xml', CAT, filename='0.jpg')
    notes = Notes()
    assert read_voc(tmp_path, notes) == ([], [])
    assert '0.jpg: truncated, the JPEG data stops' in notes.faults[0]


def test_boxes_on_a_picture_that_is_turned_when_it_is_loaded(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    picture(tmp_path / '0.jpg', exif=exif)
    voc(tmp_path / '0.xml', CAT, filename='0.jpg', size=(30, 40))
    assert things(tmp_path) == [('cat', (0, 0, 10, 20), False)]
    voc(tmp_path / '0.xml', CAT, filename='0.jpg', size=(40, 30))
    notes = Notes()
    read_voc(tmp_path, notes)
    assert 'its EXIF orientation turns it' in notes.faults[0]


def test_a_folder_without_files(tmp_path):
    with pytest.raises(InputError, match='no picture'):
        read_voc(tmp_path, Notes())
    picture(tmp_path / '0.png')
    with pytest.raises(InputError, match='no annotation file'):
        read_voc(tmp_path, Notes())
