"""Lists and values in messages."""

from vitbackbones.messages import cut


def test_short_values_are_shown_whole():
    assert cut('cat') == "'cat'"
    assert len(cut('a' * 1000)) <= 60
