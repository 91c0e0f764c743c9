"""How much there is of each class, in a few lines."""

import numpy as np

from vitbackbones.data.checks.class_table import class_table


def boxes(*labels, crowd=0):
    return {'instances': [{'bbox_label': label, 'ignore_flag': crowd} for label in labels]}


def test_boxes():
    samples = [boxes(0, 0, 1), boxes(0), boxes(1, crowd=1), boxes()]
    assert class_table(samples, ('cat', 'elephant', 'dog')).splitlines() == [
        '  class     images  boxes',
        '  cat            2      3',
        '  elephant       1      1',
        '  dog            0      0',
    ]


def test_masks():
    samples = [boxes(0, 1), boxes(0, 1, 0, crowd=1), boxes(1)]
    for box in samples[0]['instances'] + samples[1]['instances']:
        box['mask'] = [[0, 0, 0, 9, 9, 9]]
    assert class_table(samples, ('cat', 'dog')).splitlines() == [
        '  class  images  boxes  masks',
        '  cat         1      1      1',
        '  dog         2      2      1',
    ]


def test_pixels():
    pixels = [np.array([10, 90]), None, np.array([0, 100])]
    samples = [{'seg_map_path': 'a.png'}] * 3
    assert class_table(samples, ('sky', 'sea'), pixels).splitlines() == [
        '  class  images  pixels',
        '  sea         2     190',
        '  sky         1      10',
    ]


def test_images_of_many_classes_are_shown_at_both_ends():
    samples = [{'gt_label': label} for label in range(100) for _ in range(label)]
    lines = class_table(samples, [f'c{label}' for label in range(100)]).splitlines()
    assert len(lines) == 22
    assert lines[0] == '  class  images'
    assert lines[1] == '  c99        99'
    assert lines[11] == '  ...'
    assert lines[-1] == '  c0          0'


def test_data_without_classes():
    assert class_table([{'img_path': 'a.jpg'}], ()) == ''
    assert class_table([], ('a',)) == ''
