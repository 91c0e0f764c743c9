"""Annotations in the form of another tool, and back."""

import json
from xml.etree import ElementTree

import numpy as np
import pytest

from vitbackbones.data.loading.coco_masks import to_mask
from vitbackbones.runtime.run_lengths import to_rle

from ...importing.forms import picture
from ..test_messages import refused

SIDES = {'width': 64, 'height': 48}
SPLITS = ('train', 'val', None)


def entry(number, image, category, box, outlines=(), crowd=0):
    area = box[2] * box[3]
    if outlines and not isinstance(outlines, dict):
        area = sum(shoelace(points) for points in outlines)
    return {
        'id': number,
        'image_id': image,
        'category_id': category,
        'bbox': list(box),
        'area': area,
        'iscrowd': crowd,
        'segmentation': outlines if isinstance(outlines, dict) else [*outlines],
    }


def shoelace(points):
    x, y = np.array(points[::2], float), np.array(points[1::2], float)
    return abs(float(x @ np.roll(y, 1) - y @ np.roll(x, 1))) / 2


def write(root, **splits):
    """Write a data set in COCO's form, with pictures of one size."""
    (root / 'annotations').mkdir(parents=True)
    for split, annotations in splits.items():
        names = [f'{split}_{i}.png' for i in (1, 2)]
        for name in names:
            picture(root / 'images' / name, tuple(SIDES.values()))
        images = [{'id': i, 'file_name': n, **SIDES} for i, n in enumerate(names, 1)]
        categories = [{'id': i, 'name': n} for i, n in enumerate(('zebra', 'ant & co'), 1)]
        content = {'images': images, 'annotations': annotations, 'categories': categories}
        end = '' if split == 'all' else f'_{split}'
        (root / 'annotations' / f'instances{end}.json').write_text(json.dumps(content))


def content(root):
    """All that the annotation files say, by picture and in one order; ids are free."""
    found = {}
    for file in (root / 'annotations').glob('*.json'):
        read = json.loads(file.read_text())
        names = {each['id']: each['name'] for each in read['categories']}
        for image in read['images']:
            key = image['file_name'].rpartition('/')[2], image['width'], image['height']
            found[key] = [
                (names[e['category_id']], e['bbox'], e['area'], e['iscrowd'], e['segmentation'])
                for e in read['annotations']
                if e['image_id'] == image['id']
            ]
    return found


PLAIN = [
    entry(1, 1, 2, (3, 5, 20, 17)),
    entry(2, 1, 1, (0, 0, 64, 48)),
    entry(3, 1, 1, (1, 2, 3, 4)),
]
CROWD = [*PLAIN, entry(4, 1, 2, (30, 10, 9, 9), crowd=1)]
OUTLINED = [entry(1, 1, 1, (4, 4, 20, 10), [[4, 4, 24, 4, 24, 14]]), entry(2, 1, 2, (1, 1, 5, 5))]
SETS = {
    'yolo': {'all': [*PLAIN, *(e | {'id': 9} for e in OUTLINED[:1])]},
    'voc': {'train': CROWD, 'val': PLAIN},
    'cvat': {
        'train': [
            *PLAIN,
            entry(5, 1, 1, (0, 0, 40, 40), [[0, 0, 9, 0, 9, 9], [20, 20, 40, 20, 40, 40]]),
        ],
        'val': OUTLINED,
    },
    'coco': {
        'all': [*CROWD, entry(5, 1, 1, (4, 4, 4, 4), [[4, 4, 8, 4, 8, 8], [4, 6, 6, 8, 4, 8]])]
    },
}


@pytest.mark.parametrize('form', SETS)
def test_there_and_back_is_exact(run, tmp_path, form):
    write(tmp_path / 'in', **SETS[form])
    run('convert', 'in', 'there', '--to', form, '--copy')
    run('convert', 'there', 'back', '--from', form, '--to', 'coco')
    wanted = content(tmp_path / 'in')
    assert content(tmp_path / 'back') == wanted
    assert len(wanted) == 2 * len(SETS[form])  # one of each split is without objects
    splits = {file.stem for file in (tmp_path / 'back' / 'annotations').iterdir()}
    given = {file.stem for file in (tmp_path / 'in' / 'annotations').iterdir()}
    assert splits == given


def hollow():
    mask = np.zeros((48, 64), bool)
    mask[10:30, 10:30] = True
    mask[15:20, 15:20] = False
    return mask


def test_what_yolo_cannot_hold_is_said(run, tmp_path):
    ring = entry(4, 1, 1, (10, 10, 20, 20), to_rle(hollow()))
    two = entry(5, 1, 1, (0, 0, 40, 40), [[0, 0, 9, 0, 9, 9], [20, 20, 40, 20, 40, 40]])
    crowd = entry(6, 1, 2, (30, 10, 9, 9), crowd=1)
    write(tmp_path / 'in', all=[ring, two, crowd])
    said = run('convert', 'in', 'out', '--to', 'yolo').out
    assert 'objects with holes or several parts, written to YOLO as one outline: 2 (' in said
    assert 'crowd or difficult objects, left out (YOLO has no flag for them): 1 (' in said
    first, second = (tmp_path / 'out' / 'labels' / 'all_1.txt').read_text().splitlines()
    points = [float(word) for word in first.split()[1:]]
    sides = [64, 48] * (len(points) // 2)
    outline = [point * side for point, side in zip(points, sides, strict=True)]
    assert (to_mask([outline], 48, 64) == hollow()).mean() > 0.99  # the hole is cut out
    assert [float(word) * 64 for word in second.split()[1:3]] == pytest.approx(
        [20, 26.67], abs=0.01
    )


def test_cvat_gets_boxes_polygons_and_masks(run, tmp_path):
    ring = entry(4, 1, 1, (10, 10, 20, 20), to_rle(hollow()))
    parts = [[0, 0, 9, 0, 9, 9], [20, 20, 40, 20, 40, 40.5]]
    write(
        tmp_path / 'in',
        train=[ring, *PLAIN[:1], entry(5, 1, 2, (0, 0, 40, 40), parts)],
        val=PLAIN[1:2],
    )
    run('convert', 'in', 'out', '--to', 'cvat', '--copy')
    root = ElementTree.parse(tmp_path / 'out' / 'annotations.xml').getroot()
    assert [each.text for each in root.iterfind('meta/task/labels/label/name')] == [
        'zebra',
        'ant & co',
    ]
    first, *_ = root.iterfind('image')
    assert first.attrib | SIDES == {'id': '0', 'name': 'train_1.png', 'subset': 'train'} | SIDES
    assert (tmp_path / 'out' / 'images' / 'train_1.png').is_file()
    mask, box, *polygons = first
    assert [float(box.get(key)) for key in ('xtl', 'ytl', 'xbr', 'ybr')] == [3, 5, 23, 22]
    assert [each.get('points') for each in polygons] == ['0,0;9,0;9,9', '20,20;40,20;40,40.5']
    assert len({each.get('group_id') for each in polygons}) == 1
    left, top, width, height = (int(mask.get(k)) for k in ('left', 'top', 'width', 'height'))
    runs = [*map(int, mask.get('rle').split(','))]
    flat = np.concatenate([np.full(n, i % 2 == 1) for i, n in enumerate(runs)])
    found = np.zeros((48, 64), bool)
    found[top : top + height, left : left + width] = flat.reshape(height, width)
    assert (found == hollow()).all()


def test_pictures_of_one_name_in_two_folders_get_names_of_their_own(run, tmp_path):
    write(tmp_path / 'in', all=PLAIN)
    for folder in ('a', 'b'):
        picture(tmp_path / 'in' / 'images' / folder / '0.png', tuple(SIDES.values()))
    file = tmp_path / 'in' / 'annotations' / 'instances.json'
    read = json.loads(file.read_text())
    for image, folder in zip(read['images'], 'ab', strict=True):
        image['file_name'] = f'{folder}/0.png'
    file.write_text(json.dumps(read))
    run('convert', 'in', 'out', '--to', 'voc')
    assert sorted(f.name for f in (tmp_path / 'out' / 'Annotations').iterdir()) == [
        'a_0.xml',
        'b_0.xml',
    ]


def test_an_import_whose_pictures_are_links_is_converted(run, tmp_path):
    write(tmp_path / 'in', all=PLAIN)
    run('convert', 'in', 'first', '--to', 'coco')
    run('convert', 'first', 'second', '--to', 'yolo')
    assert (tmp_path / 'second' / 'images' / 'all_1.png').is_file()


def test_a_picture_of_another_size_is_named(tool, tmp_path):
    write(tmp_path / 'in', all=PLAIN)
    picture(tmp_path / 'in' / 'images' / 'all_1.png', (20, 20))
    result = tool('convert', 'in', 'out', '--to', 'yolo')
    refused(result, '1 problem, see above')
    assert 'describes an image of 64 x 48 pixels, but' in result.out
    assert not (tmp_path / 'out').exists()


def test_crowds_alone_leave_nothing_for_a_form_without_such_a_flag(run, tool, tmp_path):
    write(tmp_path / 'in', all=[entry(i, i, 1, (2, 3, 20, 20), crowd=1) for i in (1, 2)])
    for form in ('yolo', 'cvat'):
        refused(tool('convert', 'in', form, '--to', form), 'there is no usable object')
    assert '2 objects on 2 images' in run('convert', 'in', 'voc', '--to', 'voc').out


@pytest.mark.parametrize('form', ['voc', 'cvat'])
def test_names_that_xml_cannot_hold_are_refused(tool, tmp_path, form):
    write(tmp_path / 'in', all=[entry(1, 1, 1, (2, 3, 20, 20))])
    file = tmp_path / 'in' / 'annotations' / 'instances.json'
    file.write_text(file.read_text().replace('zebra', 'ze\\u001bbra'))
    refused(
        tool('convert', 'in', 'out', '--to', form), "'ze\\x1bbra': contains a character that XML"
    )
    assert not (tmp_path / 'out').exists()


def test_the_file_that_is_meant_can_be_named(run, tool, tmp_path):
    write(tmp_path / 'in', all=[entry(1, 1, 1, (2, 3, 20, 20))])
    file = tmp_path / 'in' / 'annotations' / 'instances.json'
    other = json.loads(file.read_text())
    other['annotations'].append(entry(2, 2, 2, (2, 3, 20, 20)))
    file.with_name('instances_new.json').write_text(json.dumps(other))
    refused(tool('convert', 'in', 'out', '--to', 'yolo'), '--annotations FILE')
    result = run('convert', 'in', 'out', '--to', 'yolo', '--annotations', 'instances_new.json')
    assert '2 objects on 2 images' in result.out
