"""Corrections of masks; those of boxes are tested with the audit that lists them."""

import json
from hashlib import sha256

import numpy as np
import pytest
from PIL import Image

from vitbackbones.data.importing.corrections import import_corrections
from vitbackbones.data.own.pool import find_pool
from vitbackbones.errors import InputError

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
    import_corrections(listed / 'faults.json', listed / 'data', listed / 'out', copy=False)
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
        ({'categories': [{'id': 5, 'name': 'cow'}]}, "classes that are not in .*'cow'"),
        ({'images': [{'id': 7, 'file_name': 'b.png', 'sha256': ''}]}, "'b.png' is not one of"),
        ({'annotations': [{'id': 1, 'image_id': 7, 'category_id': 5}]}, 'fault must be'),
        ({'images': [{'id': 7, 'file_name': 'images/1.png', 'sha256': '0'}]}, 'have changed'),
    ],
)
def test_a_list_that_does_not_fit_is_refused(listed, change, words):
    file = listed / 'faults.json'
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(InputError, match=words):
        import_corrections(file, listed / 'data', listed / 'out', copy=False)


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
        with pytest.raises(InputError, match="'a/x.png' is not one of the pictures"):
            import_corrections(file, root, out, copy=True)
        return
    import_corrections(file, root, out, copy=True)
    result = find_pool(out)
    (row,) = (row for row, (own,) in result.labels.items() if own['area'] == 1)
    digest = sha256(result.files[row].read_bytes()).hexdigest()
    assert names[digests.index(digest)] == changed
