"""How much there is of each class, and which files are there, whatever a list of names holds."""

import os

import numpy as np

from vitbackbones.data.checks.findings import class_table, not_there


def test_what_is_no_file_is_not_there(tmp_path):
    (tmp_path / 'sub').mkdir()
    (tmp_path / 'sub' / 'file').touch()
    os.mkfifo(tmp_path / 'pipe')
    for link, target in {'link': 'sub/file', 'broken': 'gone'}.items():
        (tmp_path / link).symlink_to(target)
    missing = ['sub', 'pipe', 'broken', 'sub/b', 'none/a', 'a' * 300]
    impossible = ['a\0b/x', f'{"a" * 300}/x', '\ud800/x']
    names = ['sub/file', 'link', *missing, *impossible]
    assert not_there(str(tmp_path), names) == names[2:]


def test_names_that_lead_out_of_the_folder_are_not_there(tmp_path):
    (tmp_path / 'in' / 'sub').mkdir(parents=True)
    for name in ('in/a.jpg', 'b.jpg', 'in b.jpg'):
        (tmp_path / name).touch()
    names = ['sub/../a.jpg', str(tmp_path / 'in' / 'a.jpg'), '../b.jpg', str(tmp_path / 'b.jpg')]
    assert not_there(str(tmp_path / 'in'), names) == names[2:]
    for folder in ('/', ''):  # of a config that leaves the place to the names
        assert not_there(folder, [str(tmp_path / 'b.jpg')]) == []


def boxes(*labels, crowd=0):
    return {'instances': [{'bbox_label': label, 'ignore_flag': crowd} for label in labels]}


def test_boxes():
    samples = [boxes(0, 0, 1), boxes(0), boxes(1, crowd=1), boxes()]
    assert class_table(samples, ('cat', 'elephant', 'dog')).splitlines() == [
        '  class         images       boxes',
        '  cat                2           3',
        '  elephant           1           1',
        '  dog                0           0',
    ]


def test_pixels():
    pixels = [np.array([10, 90]), None, np.array([0, 100])]
    samples = [{'seg_map_path': 'a.png'}] * 3
    assert class_table(samples, ('sky', 'sea'), pixels).splitlines() == [
        '  class      images      pixels',
        '  sea             2         190',
        '  sky             1          10',
    ]
