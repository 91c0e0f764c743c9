"""The parts of a data set: by name, and by a hash of the names of its files."""

from itertools import product

import pytest

from vitbackbones.data.own.splits import SHARE, for_testing, held_out, named_split


@pytest.mark.parametrize(
    ('path', 'split'),
    [
        ('annotations/instances_train2017.json', 'train'),
        ('valid/_annotations.coco.json', 'val'),
        ('test.json', 'test'),
        ('train/validation.json', 'val'),
        ('validate/a.xml', 'val'),
        ('sheep_trainset/a.xml', 'train'),
        ('ValSet/a.xml', 'val'),
        ('testset/a.xml', 'test'),
        ('trainval.json', None),
    ],
)
def test_the_last_word_of_a_path_names_the_split(path, split):
    assert named_split(path) == split


def test_added_pictures_move_no_other_from_one_part_to_the_other():
    names = [f'{i}.jpg' for i in range(1000)]
    part = held_out(names[:500])
    assert part == held_out(reversed(names)) & {*names[:500]}
    assert abs(len(held_out(names)) / 1000 - SHARE) < 0.04
    tested = for_testing(held_out(names))
    assert for_testing(part) == tested & part
    assert abs(len(tested) / 1000 - SHARE / 2) < 0.04


def test_no_part_is_empty():
    for count, first in product(range(2, 8), range(20)):
        chosen = held_out(f'{first + i}.jpg' for i in range(count))
        assert 0 < len(chosen) < count
        assert (0 < len(for_testing(chosen)) < len(chosen)) == (len(chosen) > 1)
