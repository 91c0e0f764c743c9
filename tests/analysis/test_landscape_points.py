"""The file of a landscape's points."""

import math

import pytest

from vitbackbones.analysis.landscape_points import Points
from vitbackbones.errors import InputError

SETTINGS = {'--points': 3}


@pytest.fixture
def file(tmp_path):
    """A file of two points."""
    path = tmp_path / 'landscape.csv'
    points = Points(path, SETTINGS, resume=False)
    points.add(-1.0, 0.1, 1 / 3)
    points.add(-1.0, 1.0, math.inf)
    return path


def test_points_are_read_to_the_bit(file):
    assert Points(file, SETTINGS, resume=True).losses == {(-1, 0.1): 1 / 3, (-1, 1): math.inf}


def test_a_point_that_a_kill_cut_short_is_forgotten(file):
    file.write_text(file.read_text()[:-2])
    points = Points(file, SETTINGS, resume=True)
    assert points.losses == {(-1, 0.1): 1 / 3}
    points.add(1.0, 1.0, 0.5)
    assert Points(file, SETTINGS, resume=True).losses == {(-1, 0.1): 1 / 3, (1, 1): 0.5}


def test_points_are_not_overwritten_by_accident(file):
    before = file.read_bytes()
    with pytest.raises(InputError, match='is there already; go on with --resume'):
        Points(file, SETTINGS, resume=False)
    with pytest.raises(InputError, match='was begun with another --points'):
        Points(file, {'--points': 5}, resume=True)
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    'content', ['', '# [1]\na,b,loss\n', '# {}\na,b,loss\n1,2\n', 'a,b\n1,x\n']
)
def test_a_damaged_file_is_named(file, content):
    file.write_text(content)
    with pytest.raises(InputError, match=r'landscape\.csv is damaged .*; --overwrite starts again'):
        Points(file, SETTINGS, resume=True)
