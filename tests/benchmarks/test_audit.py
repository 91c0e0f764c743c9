"""The judge of audits injects faults of each kind, and knows them again."""

import json

import numpy as np
from PIL import Image

from benchmarks import audit
from vitbackbones.data.own.pool import find_pool

COUNT = 20


def boxes(root):
    """Pictures with four boxes of two classes each."""
    entries, images = [], []
    (root / 'pictures').mkdir(parents=True)
    for row in range(COUNT):
        Image.new('RGB', (100, 80), (row, 0, 0)).save(root / 'pictures' / f'{row}.png')
        images.append({'id': row, 'file_name': f'{row}.png', 'width': 100, 'height': 80})
        for place in range(4):
            box = [5 + 22 * place, 10, 18, 16]
            own = {'id': len(entries) + 1, 'image_id': row, 'bbox': box, 'area': 288, 'iscrowd': 0}
            entries.append({**own, 'category_id': place % 2})
    categories = [{'id': 0, 'name': 'a'}, {'id': 1, 'name': 'b'}]
    content = {'images': images, 'annotations': entries, 'categories': categories}
    (root / 'labels.json').write_text(json.dumps(content))


def masks(root):
    """Pictures with a square on ground, in masks."""
    for row in range(COUNT):
        for name, mode in (('images', 'RGB'), ('masks', 'L')):
            (root / name).mkdir(parents=True, exist_ok=True)
            picture = Image.new(mode, (100, 80))
            if mode == 'L':
                picture.paste(1 + row % 2, (20, 20, 60, 60))
            picture.save(root / name / f'{row}.png')


def test_each_box_that_was_spoiled_is_known_again_and_no_other(tmp_path):
    boxes(tmp_path / 'data')
    pool = find_pool(tmp_path / 'data')
    faults = audit.write_boxes(pool, tmp_path / 'out', np.random.default_rng(0))
    kinds = [fault['kind'] for fault in faults]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        **{'missing': 4, 'class': 4, 'loose': 4, 'spurious': 4},
    }
    spoiled = find_pool(tmp_path / 'out')
    assert len(spoiled.content['annotations']) == 4 * COUNT
    images = [
        {'id': row, 'file_name': str(file.relative_to(spoiled.root))}
        for row, file in enumerate(spoiled.files)
    ]
    rows = {each['file_name']: each['id'] for each in images}
    listed = [
        {
            'image_id': rows[fault['file_name']],
            'label_id': None if fault['kind'] == 'missing' else fault['id'],
            'bbox': fault['bbox'],
        }
        for fault in faults
    ]
    twice = [*listed, listed[0]]
    content = {'images': images, 'annotations': twice}
    assert audit.judge(content, faults, 0.5) == [*kinds, '']
    ids = {fault['id'] for fault in faults}
    sound = next(each for each in spoiled.content['annotations'] if each['label_id'] not in ids)
    content['annotations'] = [{**sound, 'label_id': sound['label_id']}]
    assert audit.judge(content, faults, 0.5) == ['']


def test_regions_are_spoiled_where_the_faults_say(tmp_path):
    masks(tmp_path / 'data')
    (tmp_path / 'data' / 'classes.txt').write_text('ground\na\nb\nc\n')
    pool = find_pool(tmp_path / 'data')
    faults = audit.write_masks(pool, tmp_path / 'out', np.random.default_rng(0))
    assert sorted(fault['kind'] for fault in faults) == sorted(audit.KINDS)
    changed = set()
    for row, (before, after) in enumerate(
        zip(pool.masks, find_pool(tmp_path / 'out').masks, strict=True)
    ):
        old, new = (np.asarray(Image.open(file)) for file in (before, after))
        if (old != new).any():
            changed.add(row)
    assert {int(fault['file_name'][7:12]) for fault in faults} == changed
