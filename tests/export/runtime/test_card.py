"""A card beside an exported file: what is written is read, and what is wrong is one message."""

import json
import os

import pytest

from vitbackbones.errors import InputError
from vitbackbones.export.runtime.card import Card, card_path

from .cards import make_card


@pytest.fixture
def written(tmp_path):
    """A file, which need not be a graph, and its card."""
    file = tmp_path / 'model.onnx'
    file.write_bytes(b'graph')
    make_card().write(file)
    return file


def change(file, **values):
    path = card_path(file)
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def test_a_card_that_was_written_is_read(written):
    card = Card.read(written)
    assert card == make_card(file_sha256=card.file_sha256)
    assert card.input.shape == [None, 3, 32, 32]


def test_keys_of_later_versions_are_ignored(written):
    change(written, later=1)
    assert Card.read(written).name == 'tiny'


def test_a_file_without_a_card(written):
    card_path(written).unlink()
    with pytest.raises(InputError, match=r'model\.onnx: its card model\.onnx\.json is missing'):
        Card.read(written)


def test_a_card_without_its_file(written):
    written.unlink()
    with pytest.raises(InputError, match=r'model\.onnx: no such file'):
        Card.read(written)


@pytest.mark.parametrize('content', ['', '{', '[' * 10**5])
def test_a_card_that_is_not_json(written, content):
    card_path(written).write_text(content)
    with pytest.raises(
        InputError, match=r'model\.onnx\.json is not JSON .* export model\.onnx again'
    ):
        Card.read(written)


def test_a_card_that_would_fill_the_memory(written):
    with open(card_path(written), 'a') as card:
        card.truncate(2**24 + 1)
    with pytest.raises(InputError, match='cannot be read: it has more than 16777216 bytes'):
        Card.read(written)


def test_a_pipe_as_card_is_not_waited_for(written):
    card_path(written).unlink()
    os.mkfifo(card_path(written))
    with pytest.raises(
        InputError, match=r'model\.onnx\.json cannot be read \(not a regular file\)'
    ):
        Card.read(written)


def test_a_card_that_is_a_list(written):
    card_path(written).write_text('[]')
    with pytest.raises(InputError, match='a card must be an object'):
        Card.read(written)


def test_missing_keys_are_named(written):
    path = card_path(written)
    content = json.loads(path.read_text())
    del content['classes'], content['steps']
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match=r'json misses classes, steps; export the file again'):
        Card.read(written)


@pytest.mark.parametrize(
    ('changed', 'message'),
    [
        ({'classes': 7}, r'classes must be a list \(a string each\), not 7'),
        ({'palette': 'red'}, r"palette must be a list .* or None, not 'red'"),
        ({'input': 7}, 'input must be a dict, not 7'),
        ({'input': {'name': 'image'}}, r'misses input\.dtype, input\.layout'),
        ({'outputs': [7]}, r'outputs must be a list \(a dict each\), not \[7\]'),
        ({'task': 'poses'}, "task must be one of 'classification', .*, not 'poses'"),
        ({'steps': ['resize']}, r"steps must be a list of at most 8 \(a dict each\), not \['res"),
        ({'outputs': [{'name': 'logits'}]}, r'misses outputs\[0\]\.dtype'),
    ],
)
def test_a_value_of_another_kind_is_named(written, changed, message):
    change(written, **changed)
    with pytest.raises(InputError, match=message):
        Card.read(written)


@pytest.mark.parametrize('changed', ['model.onnx', 'model.onnx.data'])
def test_a_card_of_another_file_is_refused(written, changed):
    written.with_name(changed).write_bytes(b'other')
    with pytest.raises(InputError, match=r'json is the card of another file'):
        Card.read(written)


def test_the_weights_of_openvino_belong_to_its_file(tmp_path):
    file, weights = tmp_path / 'model.xml', tmp_path / 'model.bin'
    file.write_bytes(b'graph')
    weights.write_bytes(b'weights')
    make_card(format='openvino').write(file)
    assert Card.read(file).format == 'openvino'
    weights.write_bytes(b'WEIGHTS')
    with pytest.raises(InputError, match='the card of another file'):
        Card.read(file)
