"""The language of rules for values."""

import pytest

from vitbackbones.utils.rules import choice, listed, number, whole


@pytest.mark.parametrize(
    ('rule', 'good', 'bad'),
    [
        (whole(0, 9), [0, 9], [-1, 10, 1.0, '1', True, None]),
        (number(above=0), [0.1, 3], [0, -1, float('nan'), True, 'x', 10**400]),
        (number(least=0, below=1), [0, 0.9], [-0.1, 1]),
        (number(), [-1e9], [float('nan'), float('inf'), -float('inf')]),
        (choice('a', None), ['a', None], ['b', ['a']]),
        (listed(whole(1)), [[], [1], (2, 3)], [1, [0], 'ab']),
        (listed(whole(1), 2), [(1, 2)], [[1], [1, 2, 3]]),
        (listed(whole(1), least=1), [[1], [1, 2]], [[], [0]]),
        (listed(whole(1), most=2), [[], [1, 2]], [[1, 2, 3]]),
        (whole(1) | choice(None), [1, None], [0, 'x']),
    ],
)
def test_what_fits(rule, good, bad):
    assert [value for value in good if not rule.fits(value)] == []
    assert [value for value in bad if rule.fits(value)] == []
