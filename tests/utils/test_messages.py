"""Lists and values in messages."""

from vitbackbones.utils.messages import cut, did_you_mean, some


def test_short_values_are_shown_whole():
    assert cut('cat') == "'cat'"
    assert len(cut('a' * 1000)) <= 60


def test_a_list_says_how_many_items_it_leaves_out():
    assert some(range(3), most=3) == '0, 1, 2'
    assert some(range(5), most=3) == '0, 1, 2 and 2 more'


def test_a_misspelled_word_finds_its_neighbors():
    assert did_you_mean('trian', ['train', 'test']) == "; did you mean 'train'?"
    assert did_you_mean('trian', {'train': 'tools/train.py'}) == "; did you mean 'tools/train.py'?"
    assert did_you_mean('a', ['ab', 'ac', 'ad'], most=2).count(' or ') == 1
    assert did_you_mean('x', ['train']) == did_you_mean('trian', ['train'], cutoff=0.9) == ''
