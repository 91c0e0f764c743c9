"""CVAT's own form, with the shapes of many pictures in one file."""

import numpy as np
import pytest

from vitbackbones.data.loading.coco_masks import to_mask
from vitbackbones.errors import InputError
from vitbackbones.importing.source import Source
from vitbackbones.importing.xml_files import read_cvat

from .forms import SIZE, picture

BOX = '<box label="cat" xtl="10" ytl="5" xbr="20" ybr="15"/>'
HOLLOW = '<mask label="cat" rle="0, 5, 1, 3" left="4" top="2" width="3" height="3"/>'


def write(root, *images, end=''):
    """Write ``annotations.xml`` of pictures, given by name and shapes."""
    nodes = ''
    for name, shapes in images:
        head, _, subset = name.partition('|')
        subset = f' subset="{subset}"' if subset else ''
        nodes += (
            f'<image name="{head}" width="{SIZE[0]}" height="{SIZE[1]}"{subset}>{shapes}</image>'
        )
    root.mkdir(exist_ok=True)
    (root / 'annotations.xml').write_text(f'<annotations>{nodes}{end}</annotations>')


def read(root):
    source = Source(root)
    pictures, classes = read_cvat(source)
    return source, pictures, classes


def test_boxes_polygons_and_masks_of_pictures_with_subsets(tmp_path):
    for name in ('images/a.png', 'images/Train/b.png', 'images/c.png'):
        picture(tmp_path / name)
    outline = '<polygon label="dog" points="1,1;9,1;9,9.5"/>'
    turned = BOX.replace('/>', ' rotation="90"/>').replace('xbr="20"', 'xbr="14"')
    point = '<points label="cat" points="1,1"/><tag label="dark"/>'
    write(tmp_path, ('a.png|Validation', BOX + HOLLOW + point), ('Train/b.png', turned + outline))
    source, (first, second), classes = read(tmp_path)
    assert (classes, source.faults) == (['cat', 'dog'], [])
    assert (first.split, second.split) == ('val', 'train')
    box, mask = first.objects
    assert (box['bbox'], box['segmentation']) == ([10, 5, 10, 10], [])
    pixels = np.zeros(SIZE[::-1], bool)
    pixels[2:5, 4:7] = True
    pixels[3, 6] = False
    assert (to_mask(mask['segmentation'], *SIZE[::-1]) == pixels).all()
    assert second.objects[0]['bbox'] == [7, 8, 10, 4]
    assert second.objects[1]['segmentation'] == [[1, 1, 9, 1, 9, 9.5]]
    assert {what: len(places) for what, places in source.changes.items()} == {
        'shapes of type points, which are not objects': 1,
        'shapes of type tag, which are not objects': 1,
        'images that no CVAT XML file lists, left out': 1,
    }


def test_images_of_one_name_are_told_apart_by_their_subsets(tmp_path):
    for subset in ('Train', 'Validation'):
        picture(tmp_path / 'images' / subset / 'a.png')
    write(tmp_path, ('a.png|Validation', BOX), ('a.png|Train', BOX + BOX.replace('"10"', '"12"')))
    source, pictures, _ = read(tmp_path)
    assert (source.faults, {**source.changes}) == ([], {})
    counts = {picture.path.parent.name: len(picture.objects) for picture in pictures}
    assert counts == {'Validation': 1, 'Train': 2}
    assert [picture.split for picture in pictures] == ['val', 'train']


def test_outlines_of_one_label_and_group_are_one_object_and_boxes_are_not(tmp_path):
    picture(tmp_path / 'a.png')
    outline = '<polygon label="dog" points="1,1;9,1;9,9" group_id="1"/>'
    other = outline.replace('1,1;9,1;9,9', '20,20;29,20;29,29')
    boxes = BOX.replace('/>', ' group_id="1"/>') + BOX.replace('"10"', '"11" group_id="1"')
    write(tmp_path, ('a.png', outline + other + boxes + other.replace('"1"', '"0"')))
    source, (only,), _ = read(tmp_path)
    assert [len(entry['segmentation']) for entry in only.objects] == [2, 0, 0, 1]
    assert (source.taken, source.left_out) == (4, 1)


@pytest.mark.parametrize(
    ('shapes', 'message'),
    [
        (BOX.replace('"10"', '"x"'), 'shape 1 is a box that cannot be read'),
        (BOX.replace('xtl', 'xml'), 'shape 1 is a box that cannot be read'),
        (BOX.replace('"cat"', '""'), 'shape 1 has no label'),
        (BOX.replace('"20"', '"200"'), 'shape 1: the coordinate 200 is far outside'),
        ('<polygon label="a" points="1,1;2,2"/>', 'is a polygon that cannot be read'),
        ('<polygon label="a" points=""/>', 'is a polygon that cannot be read'),
        (HOLLOW.replace('3"/>', '4"/>'), 'is a mask that cannot be read'),
        (HOLLOW.replace('"4"', '"39"'), 'is a mask that cannot be read'),
        (HOLLOW.replace('"4"', '"-1"'), 'is a mask that cannot be read'),
        (HOLLOW.replace('5, 1', '7, -1'), 'is a mask that cannot be read'),
    ],
)
def test_what_cannot_be_read_is_named_and_the_others_are_kept(tmp_path, shapes, message):
    picture(tmp_path / 'a.png')
    picture(tmp_path / 'b.png')
    write(tmp_path, ('a.png', shapes), ('b.png', BOX))
    source, (only,), _ = read(tmp_path)
    assert (only.path.name, len(only.objects)) == ('b.png', 1)
    (fault,) = source.faults
    assert message in fault
    assert 'annotations.xml: a.png' in fault


def test_pictures_that_are_missing_twice_or_of_another_size_are_faults(tmp_path):
    picture(tmp_path / 'a.png')
    picture(tmp_path / 'b.png', (30, 40))
    write(tmp_path, ('a.png', BOX), ('a.png', BOX), ('gone.png', BOX), ('b.png', BOX))
    source, pictures, _ = read(tmp_path)
    assert len(pictures) == 1
    for fault, text in zip(
        source.faults,
        ('is annotated twice', 'gone.png does not exist', '40 x 30'),
        strict=True,
    ):
        assert text in fault


def test_a_picture_in_another_folder_is_said(tmp_path):
    picture(tmp_path / 'cam1' / 'a.png')
    write(tmp_path, ('cam0/a.png', BOX))
    source, (only,), _ = read(tmp_path)
    assert len(only.objects) == 1
    ((what, (place,)),) = source.changes.items()
    assert what == 'images in other folders than the XML file says, found by their names'
    assert place.endswith('cam1/a.png')


def test_a_picture_of_another_folder_does_not_replace_one_that_is_missing(tmp_path):
    picture(tmp_path / 'cam0' / 'b.png')
    picture(tmp_path / 'cam1' / 'a.png')
    write(tmp_path, ('cam0/a.png', BOX), ('cam0/b.png', BOX))
    source, (only,), _ = read(tmp_path)
    assert only.path.name == 'b.png'
    assert source.faults == [
        f'{tmp_path}/annotations.xml: the image cam0/a.png does not exist. Add it.'
    ]


def test_tracks_of_a_video_are_refused(tmp_path):
    picture(tmp_path / 'a.png')
    write(tmp_path, end='<track id="0" label="cat"/>')
    with pytest.raises(InputError, match='video tracks. Export it as "CVAT for images"'):
        read(tmp_path)


def test_a_turned_box_that_ends_at_the_edge_is_not_cut_there(tmp_path):
    turned = '<box label="cat" xtl="5" ytl="5" xbr="25" ybr="15" rotation="90"/>'
    picture(tmp_path / 'a.png')
    write(tmp_path, ('a.png', turned))
    source, (found,), _ = read(tmp_path)
    assert found.objects[0]['bbox'] == [10, 0, 10, 20]
    assert found.objects[0]['segmentation'] == [[20, 0, 20, 20, 10, 20, 10, 0]]
    assert not source.changes
