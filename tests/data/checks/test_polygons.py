"""Polygons of many objects, looked at together."""

import pytest

from vitbackbones.data.checks.polygons import FARTHEST, are_numbers, read_polygons

SQUARE = [1, 2, 1, 6, 5, 6, 5, 2]
LINE = [0, 0, 4, 4, 2, 2]


def test_bounds_are_those_of_all_polygons_with_an_area():
    seen = read_polygons([[SQUARE], [LINE], [LINE, [9, 9, 20.5, 9, 9, 11], SQUARE]])
    assert seen.bounds.tolist() == [[1, 2, 5, 6], [0, 0, 0, 0], [1, 2, 20.5, 11]]
    assert not seen.short.any()
    assert not seen.endless.any()


def test_polygons_that_are_left_out():
    seen = read_polygons([[SQUARE, [1, 2]], [[1, 2, 3, 4, 5, 6, 7]], [SQUARE], [[]]])
    assert seen.short.tolist() == [True, True, False, True]
    assert seen.bounds.tolist() == [[1, 2, 5, 6], [0] * 4, [1, 2, 5, 6], [0] * 4]


@pytest.mark.parametrize(
    'polygon',
    [
        [0, 0, float('nan'), 1, 1, 1],
        [0, 0, float('-inf'), 1, 1, 1],
        [0, 0, 10**400, 1, 1, 1],
        [0, 0, FARTHEST * 1.1, 1, 1, 1],
        [0, 0, 9e5, 9e5] * 4,
    ],
)
def test_what_would_take_endless_to_draw_is_seen(polygon):
    seen = read_polygons([[SQUARE], [SQUARE, polygon]])
    assert seen.endless.tolist() == [False, True]


def test_many_long_polygons_of_an_object_are_endless_together():
    long = [0, 0, 5e5, 0, 5e5, 5e5, 0, 5e5]
    assert read_polygons([[long], [long] * 3]).endless.tolist() == [False, True]


def test_no_object():
    assert read_polygons([]).bounds.shape == (0, 4)


@pytest.mark.parametrize('polygons', [[3], [[1, 2], None], [['1']], [[[1, 2]]], ['12'], [[True]]])
def test_what_is_no_list_of_numbers(polygons):
    assert are_numbers([SQUARE, [1.5]])
    assert not are_numbers([SQUARE, *polygons])
