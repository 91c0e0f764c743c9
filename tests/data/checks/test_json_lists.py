"""A file is read in pieces, and what is no object in JSON is refused as ``json`` does."""

import io
import json
import random

import pytest

from vitbackbones.data.checks import json_lists
from vitbackbones.data.checks.json_lists import read_lists

CONTENT = {
    'info': {'year': 2017, 'who': 'a "b" ]},{'},
    'none': [],
    'numbers': [1, -2.5e-3, 10**25, 0],
    'nested': [{'a': [[1, 2], []]}, {'b': None}, {'c': '\\'}],
    'objects': [{'a': [{'b': 1}, {'b': '},{'}], 'c': {}, 'd': 2} for _ in range(9)],
    'last': 12345,
}


def joined(text):
    """Return the object that pieces make; a list is one of all its pieces."""
    found = {}
    for key, value in read_lists(io.StringIO(text)):
        found[key] = found[key] + value if key in found else value
    return found


@pytest.mark.parametrize('chunk', [1, 2, 5, 1000])
@pytest.mark.parametrize('span', [1, 20, 30, 60, 1000])
@pytest.mark.parametrize('indent', [None, 1])
def test_pieces_make_the_whole(monkeypatch, chunk, span, indent):
    monkeypatch.setattr(json_lists, 'CHUNK', chunk)
    monkeypatch.setattr(json_lists, 'SPAN', span)
    monkeypatch.setattr(json_lists, 'PIECE', 2)
    assert joined(json.dumps(CONTENT, indent=indent)) == CONTENT
    assert joined(' {"a" : [ ] } \n') == {'a': []}


def test_no_piece_is_longer_than_a_number_of_entries(monkeypatch):
    monkeypatch.setattr(json_lists, 'PIECE', 3)
    pieces = read_lists(io.StringIO(json.dumps({'a': [*range(7)], 'b': 1})))
    assert [*pieces] == [('a', [0, 1, 2]), ('a', [3, 4, 5]), ('a', [6]), ('b', 1)]


def test_many_objects_are_decoded_at_a_time(monkeypatch):
    monkeypatch.setattr(json_lists, 'SPAN', 100)
    text = json.dumps({'a': [{'b': i, 'c': {'d': 1}, 'e': 2} for i in range(9)], 'f': 1})
    pieces = [len(piece) for key, piece in read_lists(io.StringIO(text)) if key == 'a']
    assert pieces == [3, 3, 2, 1]


@pytest.mark.parametrize(
    'text',
    [
        '',
        '{',
        '[]',
        '{}',
        '{"a": 1',
        '{"a" 1}',
        '{1: 2}',
        '{"a": 1} 2',
        '{"a": [1,]}',
        '{"a": [1 2]}',
    ]
    + ['{"a": 1,}', '{"a": tru}', '{"a": 1, "a": 2}', '{"a": [1}', '{"a": "b}'],
)
def test_what_is_not_as_expected(text):
    with pytest.raises(ValueError, match='.'):
        joined(text)


@pytest.mark.parametrize('span', [1, 60])
def test_damaged_text_is_never_read_as_something_else(monkeypatch, span):
    draw = random.Random(0)
    monkeypatch.setattr(json_lists, 'CHUNK', 3)
    monkeypatch.setattr(json_lists, 'SPAN', span)
    text = json.dumps(CONTENT)
    read = 0
    for _ in range(500):
        place = draw.randrange(len(text))
        damaged = text[:place] + draw.choice('[]{},:"0e. ') + text[place + draw.randrange(2) :]
        try:
            found = joined(damaged)
        except ValueError:
            continue
        assert found == json.loads(damaged)
        read += 1
    assert 30 < read < 300
