"""The page of an audit: near duplicates, kinds of faults, and pictures of each."""

from types import SimpleNamespace

import pytest
from PIL import Image

from vitbackbones.audit import page
from vitbackbones.audit.page import KINDS, MEANING, SHOWN, sections
from vitbackbones.audit.suspicion import Suspicion
from vitbackbones.reports.detection import RIGHT, WRONG

OUTLINE = (10, 10, 30, 10, 30, 20)


def suspicion(fault, key=None, outlines=()):
    given = {'box': (10, 10, 20, 10), 'category': 1, 'reason': 'why', 'outlines': outlines}
    return Suspicion(likelihood=0.876, image=0, fault=fault, label_id=key, **given)


@pytest.fixture
def pool(tmp_path):
    """Four pictures; the first has the labels 5, a cat, and 6, a dog."""
    files = [tmp_path / f'{name}.png' for name in 'abcd']
    Image.new('RGB', (60, 40)).save(files[0])
    labels = [{'label_id': 5, 'category_id': 0}, {'label_id': 6, 'category_id': 1}]
    splits = ['train', 'train', 'val', None]
    return SimpleNamespace(
        files=files,
        splits=splits,
        classes=['cat', 'dog'],
        labels={0: labels, 1: []},
        content={'annotations': labels},
        outlined=False,
    )


@pytest.fixture
def drawn(monkeypatch):
    """What is drawn: the panels by name, and the shape."""
    panels = []

    def draw(image, notes, shape):
        panels.append((notes, shape))
        return image

    def beside(pairs):
        panels.append([name for name, _ in pairs])
        return pairs[0][1]

    monkeypatch.setattr(page, 'draw_notes', draw)
    monkeypatch.setattr(page, 'side_by_side', beside)
    return panels


def test_duplicates_in_several_splits_come_first(pool):
    duplicates, _, _ = sections(pool, [[0, 1], [1, 2], [0, 3]], [])
    (table,) = duplicates.parts
    rows = [['train b.png; val c.png'], ['train a.png; d.png'], ['train a.png; train b.png']]
    assert [*map(list, table.rows)] == rows
    none, _, _ = sections(pool, [], [])
    assert [*none.parts] == []
    many, _, _ = sections(pool, [[0, 1]] * (SHOWN + 1), [])
    assert len(many.parts[0].rows) == SHOWN


def test_kinds_are_counted_in_one_order(pool, drawn):
    listed = [suspicion('loose'), suspicion('missing'), suspicion('loose')]
    _, kinds, likely = sections(pool, [], listed)
    assert [*map(list, kinds.parts[0].rows)] == [
        ['missing', KINDS['missing'], 1],
        ['loose', KINDS['loose'], 2],
    ]
    assert len(likely.parts) == 3
    assert MEANING in likely.text
    titles = [picture.title for picture in likely.parts]
    assert titles[0] == '1. loose, 0.88: why (a.png)'
    assert titles[2].startswith('3. loose')


def test_likelihoods_are_explained_for_boxes_alone(pool, drawn):
    pool.content = None
    _, _, likely = sections(pool, [], [suspicion('mask')])
    assert MEANING not in likely.text
    assert drawn[0][1] == 'segm'


def test_so_many_are_drawn(pool, monkeypatch):
    monkeypatch.setattr(page, 'SHOWN', 2)
    monkeypatch.setattr(page, '_draw', lambda pool, rank, suspicion: rank)
    assert [*sections(pool, [], [suspicion('class')] * 3)][2].parts == [1, 2]


def test_the_doubted_label_is_drawn_over_the_others_beside_what_is_suggested(pool, drawn):
    [*sections(pool, [], [suspicion('class', key=5)])]
    (labels, shape), (suggestion, _), names = drawn
    assert (shape, names) == ('bbox', ['labels', 'suggestion'])
    cat, dog = pool.labels[0]
    assert labels == [(dog, '', RIGHT), (cat, 'cat', WRONG)]
    assert suggestion == [
        (dog, '', RIGHT),
        ({**cat, 'segmentation': [], 'bbox': (10, 10, 20, 10)}, 'dog', WRONG),
    ]


def test_nothing_is_suggested_for_a_label_without_an_object(pool, drawn):
    [*sections(pool, [], [suspicion('spurious', key=6)])]
    (labels, _), (suggestion, _), _ = drawn
    assert len(labels) == 2
    assert suggestion == [(pool.labels[0][0], '', RIGHT)]


def test_a_region_is_suggested_as_a_mask(pool, drawn):
    pool.labels[0] = []
    [*sections(pool, [], [suspicion('mask', outlines=(OUTLINE,))])]
    (labels, _), (((ann, name, _),), _), names = drawn
    assert (labels, name, names) == ([], 'dog', ['image', 'suggestion'])
    assert ann['segmentation'] == [[*OUTLINE]]


def test_outlines_of_labels_and_suggestions_are_drawn(pool, drawn):
    pool.outlined = True
    for label in pool.labels[0]:
        label['segmentation'] = [[1, 2, 9, 2, 9, 8]]
    listed = [suspicion('outline', key=5, outlines=(OUTLINE,)), suspicion('class', key=5)]
    _, kinds, _ = sections(pool, [], listed)
    assert ['outline', KINDS['outline'], 1] in [*map(list, kinds.parts[0].rows)]
    (labels, shape), (suggestion, _), _, _, (as_class, _), _ = drawn
    assert shape == 'segm'
    assert labels[1].ann['segmentation'] == [[1, 2, 9, 2, 9, 8]]
    assert suggestion[1].ann['segmentation'] == [[*OUTLINE]]
    assert as_class[1].ann['segmentation'] == [[1, 2, 9, 2, 9, 8]]  # its outline stays
