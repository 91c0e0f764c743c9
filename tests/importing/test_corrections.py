"""Corrections of masks, and lists that do not fit; the audit's own are tested with it."""

import json
from hashlib import sha256

import numpy as np
import pytest
from PIL import Image

from vitbackbones.data.own.pool import find_pool
from vitbackbones.errors import InputError
from vitbackbones.importing.coco import corrected, import_corrections
from vitbackbones.importing.source import Source
from vitbackbones.runtime.run_lengths import to_rle

from .forms import masks


@pytest.fixture
def listed(tmp_path):
    """A folder of masks, and a list with a region of one of them."""
    masks(tmp_path / 'data', 3)
    pool = find_pool(tmp_path / 'data')
    image = {'id': 7, 'file_name': 'images/1.png', 'labels_sha256': pool.digest(1)}
    image['sha256'] = sha256(pool.files[1].read_bytes()).hexdigest()
    region = {'id': 1, 'image_id': 7, 'category_id': 5, 'fault': 'mask', 'label_id': None}
    region['segmentation'] = [[70, 50, 79, 50, 79, 59, 70, 59]]
    names = [{'id': 5, 'name': 'thing'}, {'id': 6, 'name': 'ground'}]
    content = {'images': [image], 'annotations': [region], 'categories': names}
    (tmp_path / 'faults.json').write_text(json.dumps(content))
    return tmp_path


def test_a_region_gets_the_value_of_its_class(listed):
    import_corrections(Source(listed / 'data'), listed / 'faults.json', listed / 'out', copy=False)
    for number in range(3):
        before, after = (
            np.asarray(Image.open(listed / root / 'masks' / f'{number}.png')).copy()
            for root in ('data', 'out')
        )
        if number == 1:
            before[50:60, 70:80] = 3
        assert (after == before).all()
    assert find_pool(listed / 'out').classes == ['ground', 'thing']


@pytest.mark.parametrize(
    ('change', 'words'),
    [
        ({'images': []}, 'lists no images, so there is nothing to apply'),
        ({'categories': [{'id': 5, 'name': 'cow'}]}, "classes that are not in .*'cow'"),
        ({'images': [{'id': 7, 'file_name': 'b.png', 'sha256': ''}]}, "'b.png' is not an image"),
        (
            {'annotations': [{'id': 1, 'image_id': 7, 'category_id': 5}]},
            'annotation 1: fault is None; it must be one of',
        ),
        ({'images': [{'id': 7, 'file_name': 'images/1.png', 'sha256': '0'}]}, 'have changed'),
    ],
)
def test_a_list_that_does_not_fit_is_refused(listed, change, words):
    file = listed / 'faults.json'
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(InputError, match=words):
        import_corrections(Source(listed / 'data'), file, listed / 'out', copy=False)


@pytest.mark.parametrize(
    ('name', 'changed'),
    [
        ('x.png', 'x.png'),
        ('../up/b/x.png', 'b/x.png'),
        ('/data/local-files/?d=pets/x.png', 'x.png'),  # below the folder itself
        ('./x.png', 'x.png'),
        ('a/x.png', None),  # of neither
        ('a/y.png', 'b/y.png'),  # the only one
    ],
)
def test_a_name_that_two_pictures_have_needs_its_folder(tmp_path, name, changed):
    root, names = tmp_path / 'pets', ('x.png', 'b/x.png', 'b/y.png')
    label = {'category_id': 1, 'bbox': [1, 2, 20, 20], 'area': 400, 'iscrowd': 0}
    content = {'images': [], 'annotations': [], 'categories': [{'id': 1, 'name': 'cat'}]}
    for number, file in enumerate(names):
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        Image.new('RGB', (32, 32), (number, 0, 0)).save(root / file)
        content['images'].append({'id': number, 'file_name': file, 'width': 32, 'height': 32})
        content['annotations'].append(label | {'id': number + 1, 'image_id': number})
    (root / 'labels.json').write_text(json.dumps(content))
    pool = find_pool(root)
    digests = [sha256(file.read_bytes()).hexdigest() for file in pool.files]
    audited = [
        each | {'sha256': digests[number], 'labels_sha256': pool.digest(number)}
        for number, each in enumerate(content['images'])
    ]
    (tmp_path / 'faults.json').write_text(json.dumps(content | {'images': audited}))
    image = content['images'][0] | {'file_name': name}
    reviewed = {'images': [image], 'annotations': [content['annotations'][0] | {'area': 1}]}
    file, out = tmp_path / 'reviewed.json', tmp_path / 'out'
    file.write_text(json.dumps(content | reviewed))
    if not changed:
        with pytest.raises(InputError, match="'a/x.png' is not an image"):
            import_corrections(Source(root), file, out, copy=True)
        return
    import_corrections(Source(root), file, out, copy=True)
    result = find_pool(out)
    (row,) = (row for row, (own,) in result.labels.items() if own['area'] == 1)
    digest = sha256(result.files[row].read_bytes()).hexdigest()
    assert names[digests.index(digest)] == changed


@pytest.fixture
def boxes(tmp_path):
    """A folder of three pictures with a box each, and a list with a correction of each."""
    root = tmp_path / 'data'
    label = {'category_id': 1, 'bbox': [1, 2, 20, 20], 'area': 400, 'iscrowd': 0}
    content = {'images': [], 'annotations': [], 'categories': [{'id': 1, 'name': 'cat'}]}
    root.mkdir()
    for i in range(3):
        Image.new('RGB', (32, 32), (i, 0, 0)).save(root / f'{i}.png')
        content['images'].append({'id': i, 'file_name': f'{i}.png', 'width': 32, 'height': 32})
        content['annotations'].append(label | {'id': i + 5, 'image_id': i})
    (root / 'labels.json').write_text(json.dumps(content))
    pool = find_pool(root)
    images = [
        each
        | {
            'id': row,
            'file_name': pool.files[row].name,
            'sha256': sha256(pool.files[row].read_bytes()).hexdigest(),
            'labels_sha256': pool.digest(row),
        }
        for row, each in enumerate(content['images'])
    ]
    entries = [
        label
        | {'id': row + 1, 'image_id': row, 'fault': fault, 'score': 0.1 * (row + 1)}
        | {'label_id': pool.labels[row][0]['label_id'], 'bbox': [3, 3, 9, 9], 'area': 81}
        for row, fault in enumerate(('missing', 'spurious', 'loose'))
    ]
    listed = {'images': images, 'annotations': entries, 'categories': content['categories']}
    (tmp_path / 'faults.json').write_text(json.dumps(listed))
    return tmp_path


def accept(folder, least=0.0, **changes):
    """Import the list with changes in its last entry, and return the boxes and the source."""
    file, source = folder / 'faults.json', Source(folder / 'data')
    content = json.loads(file.read_text())
    last = content['annotations'][-1] | changes
    content['annotations'][-1] = {key: value for key, value in last.items() if value is not ...}
    (folder / 'accepted.json').write_text(json.dumps(content))
    import_corrections(source, folder / 'accepted.json', folder / 'out', True, least)
    pool = find_pool(folder / 'out')
    return sorted(each['bbox'] for own in pool.labels.values() for each in own), source


OLD, NEW = [1, 2, 20, 20], [3, 3, 9, 9]


def test_least_leaves_unlikely_corrections_out_and_counts_them(boxes):
    found, source = accept(boxes)
    assert (found, source.changes) == ([OLD, NEW, NEW], {})


def test_only_the_likelier_ones_are_taken(boxes):
    found, source = accept(boxes, least=0.15)
    assert found == [OLD, NEW]
    ((what, places),) = source.changes.items()
    assert what == 'corrections with a likelihood below 0.15, left out'
    assert len(places) == 1


@pytest.mark.parametrize(
    ('changes', 'message'),
    [
        ({'fault': 'wrong'}, "annotation 3: fault is 'wrong'; it must be one of"),
        ({'fault': ['loose']}, 'annotation 3: fault is .* it must be one of'),
        ({'label_id': 99}, 'annotation 3: label_id is 99, but the image has no label with this id'),
        ({'label_id': [1]}, r'label_id is \[1\], but the image has no label'),
        ({'score': 'high'}, "score is 'high'; it must be a number"),
        ({'image_id': 9}, 'does not define the image_id of 1 annotation .*: 9'),
        ({'category_id': 9}, 'does not define the category_id of 1 annotation .*: 9'),
        ({'id': 2}, "ids used more than once in 'annotations': 2"),
    ],
)
def test_entries_of_no_label_are_refused(boxes, changes, message):
    with pytest.raises(InputError, match=message):
        accept(boxes, **changes)


@pytest.mark.parametrize(
    ('changes', 'message'),
    [
        ({'bbox': ...}, 'annotation 3: bbox is None; it must be four numbers'),
        ({'bbox': [1, 2, 3]}, 'it must be four numbers'),
        ({'bbox': [1, 2, float('nan'), 3]}, 'it must be four numbers'),
        ({'iscrowd': 2}, 'iscrowd is 2; it must be 0 or 1'),
        ({'segmentation': 'x'}, "the segmentation cannot be used: it is 'x'"),
        ({'segmentation': {'size': [1, 1], 'counts': ''}}, "its 'size' is"),
    ],
)
def test_entries_are_checked_as_convert_does(boxes, changes, message):
    _, source = accept(boxes, **changes)
    (fault,) = source.faults
    assert message in fault


def test_what_is_left_out_is_counted(boxes):
    found, source = accept(boxes, bbox=[40, 40, 9, 9])
    assert found == [OLD, OLD, NEW]
    assert [len(places) for places in source.changes.values()] == [1]


def test_a_brush_of_cvat_is_read(listed):
    file = listed / 'faults.json'
    content = json.loads(file.read_text())
    size = np.asarray(Image.open(listed / 'data/masks/1.png')).shape
    mask = np.zeros(size, bool)
    mask[50:60, 70:80] = True
    for code in (to_rle(mask), {'size': [*size], 'counts': runs(mask)}):
        content['annotations'][0]['segmentation'] = code
        file.write_text(json.dumps(content))
        out = listed / f'out_{type(code["counts"]).__name__}'
        import_corrections(Source(listed / 'data'), file, out, copy=False)
        before, after = (np.asarray(Image.open(r / 'masks/1.png')) for r in (listed / 'data', out))
        assert (after == np.where(mask, 3, before)).all()


def runs(mask):
    pixels = mask.ravel(order='F')
    ends = np.flatnonzero(np.diff(pixels)) + 1
    return np.diff(np.concatenate([[0], ends, [pixels.size]])).tolist()


def test_a_mask_without_an_outline_is_counted(listed):
    file, source = listed / 'faults.json', Source(listed / 'data')
    content = json.loads(file.read_text())
    del content['annotations'][0]['segmentation']
    file.write_text(json.dumps(content))
    import_corrections(source, file, listed / 'out', copy=False)
    assert [*source.changes] == ['corrections of masks without an outline, left out']


RING = [[3, 3, 12, 3, 12, 12]]


def test_an_outline_replaces_that_of_its_label(boxes):
    found, source = accept(boxes, fault='outline', segmentation=RING, area=40)
    assert (found, source.changes) == ([OLD, NEW, NEW], {})
    ((ann,),) = ([ann for ann in own if ann['segmentation']] for own in outlined(boxes / 'out'))
    assert (ann['segmentation'], ann['area']) == (RING, 40)


def outlined(root):
    """The labels of the pictures of a folder that have an outline."""
    own = find_pool(root).labels.values()
    return [labels for labels in own if any(each['segmentation'] for each in labels)]


@pytest.mark.parametrize('segmentation', [..., [], [[3, 3, 12, 3]]])
def test_an_outline_that_was_lost_changes_no_label(boxes, segmentation):
    found, source = accept(boxes, fault='outline', segmentation=segmentation)
    assert found == [OLD, OLD, NEW]
    assert 'corrections of masks without an outline, left out' in source.changes


def test_an_object_that_was_missing_has_its_outline(boxes):
    accept(boxes, fault='missing', segmentation=RING)
    assert [own[-1]['segmentation'] for own in outlined(boxes / 'out')] == [RING]


def test_a_name_of_many_slashes_takes_no_memory(boxes):
    file = boxes / 'faults.json'
    content = json.loads(file.read_text())
    content['images'][0]['file_name'] = '/' * 10**6
    file.write_text(json.dumps(content))
    with pytest.raises(InputError, match='is not an image'):
        import_corrections(Source(boxes / 'data'), file, boxes / 'out', copy=True)


def test_what_becomes_of_the_labels_of_a_picture():
    labels = [{'label_id': key, 'category_id': 0, 'bbox': [key], 'x': 1} for key in range(5)]
    changed = {'category_id': 2, 'bbox': [9], 'area': 3, 'segmentation': []}
    entries = [
        {'fault': fault, 'label_id': key, **changed}
        for fault, key in (('class', 1), ('loose', 2), ('spurious', 3), ('missing', None))
    ]
    assert corrected(labels, entries) == [
        labels[0],
        labels[1] | {'category_id': 2},
        labels[2] | {'bbox': [9], 'area': 3, 'segmentation': []},
        labels[4],
        entries[3],
    ]
    assert corrected(labels, []) == labels
    assert corrected([], entries[3:]) == entries[3:]
