"""Pictures and masks by patterns of their paths."""

import pytest

from vitbackbones.data.own.pairing import Patterns, chosen_pairs
from vitbackbones.errors import InputError

from .folders import write


def pairs_of(root, pictures, masks, *names):
    """Pair empty files, by name; also the pictures without a mask."""
    write(root, dict.fromkeys(names))
    pairs = chosen_pairs(root, Patterns(pictures, masks))
    found = [[file.path.relative_to(root).as_posix() for file in pair] for pair in pairs.found]
    return sorted(found), [file.relative_to(root).as_posix() for file in pairs.bare]


def test_patterns_come_in_pairs():
    assert Patterns.of('a{}', 'b{}') == ('a{}', 'b{}')
    assert Patterns.of(None, None) is None
    assert Patterns.of('', None) is None
    for one in (('a{}', None), (None, 'b{}'), ('', 'b{}')):
        with pytest.raises(InputError, match='give both'):
            Patterns.of(*one)


@pytest.mark.parametrize(
    ('pictures', 'masks', 'picture', 'mask', 'fits'),
    [
        ('x/{}.png', 'y/{}.png', 'x/1.png', 'y/1.png', True),
        ('./x/{}.png', 'y/{}.png', 'x/1.png', 'y/1.png', True),
        ('x/{}.png', 'y/{}_m.png', 'x/1.png', 'y/1_m.png', True),
        ('x/{}_*.png', 'y/{}.png', 'x/1_left.png', 'y/1.png', True),  # a star in the name is free
        ('*/x/{}.png', '*/y/{}.png', 'a/x/1.png', 'a/y/1.png', True),
        ('*/x/{}.png', '*/y/{}.png', 'a/x/1.png', 'b/y/1.png', False),  # one in a folder is shared
        ('*/x/{}.png', 'y/{}.png', 'a/x/1.png', 'y/1.png', True),  # if both have as many
        ('*/x/{}.png', '*/y/{}.png', 'a/b/x/1.png', 'a/b/y/1.png', None),
        ('**/x/{}.png', '**/y/{}.png', 'a/b/x/1.png', 'a/b/y/1.png', True),
        ('**/x/{}.png', '**/y/{}.png', 'x/1.png', 'y/1.png', True),
        ('x/**/{}.png', 'y/**/{}.png', 'x/a/1.png', 'y/a/1.png', True),
        ('x/**/{}.png', 'y/**/{}.png', 'x/a/1.png', 'y/b/1.png', False),
        ('x/{}/1.png', 'y/{}/1.png', 'x/a/1.png', 'y/a/1.png', True),
        ('x/{}.png', 'y/{}.png', 'x/1-png', 'y/1.png', None),  # a point is a point
    ],
)
def test_what_stars_stand_for(tmp_path, pictures, masks, picture, mask, fits):
    if fits is None:
        with pytest.raises(InputError, match='no image in'):
            pairs_of(tmp_path, pictures, masks, picture, mask)
        return
    expected = ([[picture, mask]], []) if fits else ([], [picture])
    assert pairs_of(tmp_path, pictures, masks, picture, mask) == expected


def test_pictures_and_masks_without_the_other_are_named(tmp_path):
    names = ['x/1.png', 'x/2.png', 'y/2.png', 'y/3.png', 'z/4.png']
    assert pairs_of(tmp_path, 'x/{}.png', 'y/{}.png', *names) == (
        [['x/2.png', 'y/2.png']],
        ['x/1.png'],
    )
    (note,) = chosen_pairs(tmp_path, Patterns('x/{}.png', 'y/{}.png')).notes
    assert note.endswith(': 1 in y')


@pytest.mark.parametrize(
    ('pictures', 'masks', 'option', 'message'),
    [
        ('x/1.png', 'y/{}.png', '--pictures', 'requires one'),
        ('x/{}.png', 'y/{}{}.png', '--masks', 'requires one'),
        ('w/{}.png', 'y/{}.png', '--pictures', 'x/1.png, y/1.png, z/1.png'),
        ('x/{}.png', '*/{}.png', '--masks', 'matches both'),
    ],
)
def test_patterns_that_choose_nothing_or_too_much(tmp_path, pictures, masks, option, message):
    with pytest.raises(InputError, match=f'^{option} .*{message}'):
        pairs_of(tmp_path, pictures, masks, 'x/1.png', 'y/1.png', 'z/1.png')
