"""Lists, values, and pages of the documentation in messages."""

import re
import sys
from pathlib import Path

import pytest

from vitbackbones.errors import InputError
from vitbackbones.utils import messages
from vitbackbones.utils.messages import (
    LONGEST,
    LONGEST_NAME,
    cut,
    did_you_mean,
    did_you_mean_path,
    in_one_line,
    named_errors,
    on_terminal,
    page,
    plural,
    shorten,
    some,
)


def test_a_misspelled_word_finds_its_neighbors():
    assert did_you_mean('trian', ['train', 'test']) == "; did you mean 'train'?"
    assert did_you_mean('trian', {'train': 'tools/train.py'}) == "; did you mean 'tools/train.py'?"
    assert did_you_mean('a', ['ab', 'ac', 'ad'], most=2).count(' or ') == 1
    assert did_you_mean('x', ['train']) == did_you_mean('trian', ['train'], cutoff=0.9) == ''


def test_a_misspelled_path_finds_the_neighbor_of_its_first_wrong_part(tmp_path, monkeypatch):
    (tmp_path / 'photos' / 'train').mkdir(parents=True)
    (tmp_path / 'photos' / 'file').touch()
    assert did_you_mean_path(tmp_path / 'photo') == "; did you mean 'photos'?"
    assert did_you_mean_path(tmp_path / 'photo' / 'train') == "; did you mean 'photos'?"
    monkeypatch.chdir(tmp_path / 'photos')
    assert did_you_mean_path(Path('trian')) == "; did you mean 'train'?"
    for place in ('xyz', 'file', 'file/x', 'x' * 300):
        assert did_you_mean_path(Path(place)) == ''


def test_the_first_of_many():
    assert some('abcde') == "'a', 'b', 'c', 'd', 'e'"
    assert some('abcdef') == "'a', 'b', 'c', 'd', 'e' and 1 more"
    assert some('abcdef', str, 2) == 'a, b and 4 more'
    assert some('') == ''
    assert shorten('abcdefgh') == 'a, b, c, d, e, f, g, h'
    assert shorten('abcdefghi') == 'a, b, c, d, e, f, g, h and 1 more'


def test_long_names_and_values_are_cut():
    assert shorten(['a' * LONGEST_NAME]) == 'a' * LONGEST_NAME
    assert shorten(['a' * (LONGEST_NAME + 1)]) == 'a' * LONGEST_NAME + '...'
    assert '\n' not in shorten(['a\nb'])
    assert cut('a' * (LONGEST - 2)) == repr('a' * (LONGEST - 2))
    shown = cut('a' * (LONGEST - 1) + 'b')
    half = (LONGEST - 3) // 2
    assert shown == f"'{'a' * (half - 1)}...{'a' * (half - 2)}b'"
    assert LONGEST == 60


def test_numbers_with_their_nouns():
    assert [plural(n, 'fault') for n in (0, 1, 2)] == ['0 faults', '1 fault', '2 faults']


def test_errors_in_one_line():
    assert in_one_line(ValueError('no\n  pixels')) == 'no pixels'
    assert in_one_line(ValueError()) == 'ValueError'
    assert in_one_line(ValueError('abc'), 3) == 'abc'
    assert in_one_line(ValueError('abcd'), 3) == 'abc...'


def test_a_terminal_is_asked_of_the_output(monkeypatch):
    for answer in (True, False):
        monkeypatch.setattr(sys.stdout, 'isatty', lambda answer=answer: answer, raising=False)
        assert on_terminal() is answer


ROOT = Path(__file__).parents[2]


def test_a_wheel_names_the_file_that_it_carries(tmp_path, monkeypatch):
    monkeypatch.setattr(messages, 'INSTALLED', tmp_path)
    assert page('shards') == 'docs/shards.md'
    (tmp_path / 'shards.md').touch()
    assert page('shards') == str(tmp_path / 'shards.md')


def test_every_page_that_is_named_is_there():
    texts = [file.read_text() for file in (ROOT / 'vitbackbones').rglob('*.py')]
    named = {name for text in texts for name in re.findall(r"\bpage\(['\"](\w+)['\"]\)", text)}
    assert named >= {'compatibility', 'own_data'}
    assert all((ROOT / page(name)).is_file() for name in named)


def test_errors_of_other_packages_get_a_name_and_those_for_the_user_stay():
    too_long = pytest.raises(InputError, match=r'^model.onnx: no such ope\.\.\.$')
    with too_long as told, named_errors('model.onnx', 11):
        raise RuntimeError('no such\n  operator')
    assert isinstance(told.value.__cause__, RuntimeError)
    with pytest.raises(InputError, match='^too few images$'), named_errors('model.onnx'):
        raise InputError('too few images')
