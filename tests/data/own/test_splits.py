"""The parts of a data set: by name, and by a hash of the names of its files."""

from itertools import product
from typing import NamedTuple

import pytest

from vitbackbones.data.own.folder import (
    MARKS,
    SHARE,
    divided,
    for_testing,
    held_out,
    marks,
    named_split,
)
from vitbackbones.errors import InputError


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
        ('VisDrone2019-DET-test-dev/a.json', 'test'),
        ('Test_Dev/a.xml', 'test'),
        ('testset-dev/a.xml', 'test'),
        ('instances_testdev2017.json', 'test'),
        ('dev/a.xml', 'val'),
        ('test/dev.json', 'val'),
        ('latest-dev/a.xml', 'val'),
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


# By the hashes of their names, the first four are for testing, and two more for validation.
RANKED = [26, 36, 34, 38, 19, 35, 59, 0, 5, 46, 14, 1, 16, 54, 25, 42, 55, 53, 44, 41, 11]
RANKED = [f'{number}.jpg' for number in RANKED]
TESTED, CHECKED, TRAINED = {*RANKED[:4]}, {*RANKED[4:6]}, {*RANKED[6:]}


class Part(NamedTuple):
    """A part of a data set."""

    names: set
    labeled: set

    def only(self, names):
        return Part(self.names & names, self.labeled & names)


def part_of(names, labeled=None):
    return Part({*names}, {*(names if labeled is None else labeled)})


def names_in(parts):
    return {split: {*part.names} for split, part in parts.items()}


def test_names_are_ranked_by_their_hashes():
    assert marks(reversed(RANKED)) == tuple(RANKED[:MARKS])
    assert marks([*RANKED[:2], *RANKED[:2]]) == (RANKED[0], RANKED[1])
    assert held_out(RANKED) == TESTED | CHECKED
    assert for_testing(TESTED | CHECKED) == TESTED
    assert held_out(RANKED[6:9]) == {RANKED[6]}  # none has a low hash: the lowest one
    assert held_out(RANKED[:3]) == {*RANKED[:2]}  # all have: one is left to train on
    assert for_testing(RANKED[4:8]) == {*RANKED[4:6]}  # none, or all, would be: the lower half
    assert for_testing(RANKED[:3]) == {RANKED[0]}
    assert for_testing(RANKED[:1]) == set()


def test_both_parts_have_objects_where_two_pictures_have():
    assert held_out(RANKED, RANKED[10:13]) == TESTED | CHECKED | {RANKED[10]}
    assert held_out(RANKED, RANKED[1:4]) == (TESTED | CHECKED) - {RANKED[3]}
    assert held_out(RANKED, RANKED[10:11]) == TESTED | CHECKED
    assert held_out(RANKED, RANKED[10:12]) == TESTED | CHECKED | {RANKED[10]}


def test_training_pictures_are_held_out_where_no_part_is_for_validation(tmp_path):
    whole = part_of(RANKED)
    parts = divided(tmp_path, {'train': whole}, None)
    assert names_in(parts) == {'train': TRAINED, 'val': CHECKED, 'test': TESTED}
    other = part_of(['a'])
    parts = divided(tmp_path, {'train': whole, 'test': other}, None)
    assert names_in(parts) == {'train': TRAINED, 'val': TESTED | CHECKED, 'test': {'a'}}
    given = {'train': whole, 'val': other}
    assert divided(tmp_path, given, None) == given


def test_no_part_is_for_testing_where_nothing_could_be_measured_on_it(tmp_path):
    without = {'train': TRAINED, 'val': TESTED | CHECKED}
    for few in (RANKED[:3], RANKED[4:8]):
        labeled = [*few, *RANKED[9:]]
        parts = divided(tmp_path, {'train': part_of(RANKED, labeled)}, None)
        assert names_in(parts) == without
    labeled = [RANKED[0], *RANKED[5:]]
    parts = divided(tmp_path, {'train': part_of(RANKED, labeled)}, None)
    assert names_in(parts) == {'train': TRAINED, 'val': CHECKED, 'test': TESTED}
    parts = divided(tmp_path, {'train': part_of(RANKED, ())}, None)  # none has objects
    assert names_in(parts) == {'train': TRAINED, 'val': CHECKED, 'test': TESTED}


def test_a_trained_model_is_tested_on_what_it_was_not_trained_on(tmp_path):
    whole, other = part_of(RANKED), part_of(['a'])
    assert divided(tmp_path, {'train': whole}, ['b.jpg']) == {'test': whole}
    parts = divided(tmp_path, {'train': whole}, RANKED[8:10])
    assert names_in(parts) == {'train': TRAINED, 'val': CHECKED, 'test': TESTED}
    given = {'train': whole, 'test': other}
    assert divided(tmp_path, given, RANKED) == given


@pytest.mark.parametrize(
    ('part', 'message'),
    [
        (part_of(RANKED[:1]), 'one image cannot be split'),
        (part_of(RANKED, RANKED[:1]), 'only one image has objects'),
    ],
)
def test_one_picture_is_not_divided(tmp_path, part, message):
    with pytest.raises(InputError, match=message):
        divided(tmp_path, {'train': part}, None)
    divided(tmp_path, {'train': part_of(RANKED[:2])}, None)
