"""Drawn curves: lines where there are values, names as they are written."""

from xml.etree import ElementTree

import numpy as np

from vitbackbones.results.report.precision_recall import NAMED, draw_curves

RECALLS = np.linspace(0, 1, 11)


def texts(lines, classes):
    picture = draw_curves({'first': lines, 'second': lines}, RECALLS, classes)
    tree = ElementTree.fromstring(picture.content)
    return [each.text for each in tree.iter('{http://www.w3.org/2000/svg}text')]


def test_every_class_is_named_with_its_mean():
    lines = np.stack([np.full(11, 0.25), np.full(11, np.nan), np.full(11, 0.75)])
    found = texts(lines, ['_a$b$', 'empty', '<牛>'])
    for text in ('0.250  _a$b$', '0.750  <牛>', '0.500  mean', 'first', 'second', 'recall'):
        assert text in found
    assert not any('empty' in text for text in found)


def test_of_many_classes_the_worst_are_named():
    lines = np.repeat(np.linspace(1, 0, 20)[:, None], 11, axis=1)
    found = [text for text in texts(lines, [f'c{i}' for i in range(20)]) if '  c' in text]
    assert {text.split()[1] for text in found} == {f'c{i}' for i in range(20 - NAMED, 20)}


def test_no_objects_at_all():
    assert 'mean' not in ' '.join(texts(np.full((2, 11), np.nan), ['a', 'b']))


def test_what_svg_cannot_hold_is_written_as_escapes():
    assert r'0.250  a\x01\udcff' in texts(np.full((1, 11), 0.25), ['a\x01\udcff'])
