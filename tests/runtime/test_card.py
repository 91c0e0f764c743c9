"""A card beside an exported file: what is written is read, and what is wrong is one message."""

import json
import os

import pytest

from vitbackbones.errors import InputError
from vitbackbones.runtime.card import Card, card_path

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


def test_a_card_that_was_written_is_read_and_keys_of_later_versions_ignored(written):
    change(written, later=1)
    card = Card.read(written)
    assert card == make_card(file_sha256=card.file_sha256)


def test_both_files_must_be_there(written):
    card_path(written).unlink()
    with pytest.raises(
        InputError, match=r'model\.onnx: its metadata file model\.onnx\.json is missing'
    ):
        Card.read(written)
    os.mkfifo(card_path(written))
    with pytest.raises(
        InputError, match=r'model\.onnx\.json cannot be read \(not a regular file\)'
    ):
        Card.read(written)
    written.unlink()
    with pytest.raises(InputError, match=r'model\.onnx: no such file'):
        Card.read(written)


@pytest.mark.parametrize(
    ('content', 'message'),
    [
        ('{', r'model\.onnx\.json is not JSON .* export model\.onnx again'),
        ('[' * 10**5, 'is not JSON'),
        ('[]', 'a metadata file must be an object'),
        (' ' * (2**24 + 1), 'cannot be read: it is larger than 16777216 bytes'),
        ('{}', 'json has no format, task, .*; export the file again'),
    ],
    ids=range(5),
)
def test_a_card_that_is_none(written, content, message):
    card_path(written).write_text(content)
    with pytest.raises(InputError, match=message):
        Card.read(written)


@pytest.mark.parametrize(
    ('place', 'value', 'message'),
    [
        ('classes', 7, r'classes must be a list \(a string each\), not 7'),
        ('palette', [[1, 2, 256]], r'an integer from 0 to 255 each'),
        ('task', 'poses', "task must be one of 'classification', .*, not 'poses'"),
        ('steps', ['resize'], r"steps must be a list of at most 8 \(a dict each\), not \['res"),
        ('outputs', [{'name': 'logits'}], r'has no outputs\[0\]\.dtype'),
        ('input', 7, 'input must be a dict, not 7'),
        ('input', {'name': 'image'}, r'has no input\.dtype, input\.layout'),
        ('input.layout', ['NCHW'], r'input\.layout must be one of \'NCHW\', \'NHWC\''),
        ('input.shape', [], 'a list of 4'),
        ('input.shape', ['1', 3, 32, 32], 'from 1 to 1048576 or None'),
        ('input.mean', [10**400] * 3, 'a number from -1e'),
        ('input.std', [1, 1, 0], 'a number from 1e-06 to'),
    ],
)
def test_a_value_of_another_kind_is_named(written, place, value, message):
    content = json.loads(card_path(written).read_text())
    part, _, name = place.rpartition('.')
    (content[part] if part else content)[name] = value
    change(written, **content)
    with pytest.raises(InputError, match=message):
        Card.read(written)


@pytest.mark.parametrize('weights', ['model.onnx', 'model.onnx.data', 'model.bin'])
def test_a_card_of_another_file_or_of_other_weights_is_refused(tmp_path, weights):
    file = tmp_path / ('model.xml' if weights == 'model.bin' else 'model.onnx')
    file.write_bytes(b'graph')
    (tmp_path / weights).write_bytes(b'weights')
    make_card().write(file)
    assert Card.read(file).name == 'tiny'
    (tmp_path / weights).write_bytes(b'WEIGHTS')
    with pytest.raises(InputError, match=rf'json belongs to another file.*{weights}\.'):
        Card.read(file)
