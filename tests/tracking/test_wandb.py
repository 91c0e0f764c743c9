"""Runs of wandb, read from the files that it keeps offline."""

import json
import struct
import sys

import pytest

from vitbackbones.errors import InputError
from vitbackbones.tracking.wandb import WeightsAndBiases

BLOCK = 2**15  # bytes, of which no header crosses the end
KEY = 40 * 'a'


def read(folder):
    """Yield the records of an offline run: a log in LevelDB's format of protocol buffers."""
    from wandb.proto.wandb_internal_pb2 import Record

    (file,) = folder.glob('*.wandb')
    content, place, whole = file.read_bytes(), 7, b''  # after the header of the file
    while place + 7 <= len(content):
        if BLOCK - place % BLOCK < 7:
            place += BLOCK - place % BLOCK
        _, size, kind = struct.unpack('<IHB', content[place : place + 7])
        whole += content[place + 7 : place + 7 + size]
        place += 7 + size
        if kind in (1, 4):  # a whole record, or the last part of one
            yield Record.FromString(whole)
            whole = b''


def rows(records):
    """Return what was logged, by the step."""
    found = {}
    for record in records:
        if record.WhichOneof('record_type') == 'history':
            items = record.history.item
            row = {'/'.join(each.nested_key) or each.key: each.value_json for each in items}
            row = {key: json.loads(value) for key, value in row.items()}
            assert row['_step'] not in found
            found[row['_step']] = row
    return found


@pytest.fixture(scope='module')
def starts(followed):
    pytest.importorskip('wandb')
    return [[*read(folder)] for folder in sorted((followed / 'wandb').glob('offline-run-*'))]


def test_a_resumed_run_goes_on_with_every_step_once(starts):
    first, second = map(rows, starts)
    assert [*first] == [1, 2, 3, 4, 5, 6]
    assert [*second] == [7, 8, 9, 10, 11, 12]
    whole = first | second
    assert [step for step, row in whole.items() if 'toy/error' in row] == [4, 8, 12]
    assert all({'loss', 'lr'} <= row.keys() for row in whole.values())


def test_both_starts_are_one_run_under_the_name_of_the_work_dir(starts):
    found = [record.run for records in starts for record in records if record.HasField('run')]
    assert {run.run_id for run in found} == {found[0].run_id}
    assert {(run.display_name, run.project) for run in found} == {('toy', 'vitbackbones')}


def test_it_is_noted_how_each_start_ended(starts):
    ends = [each.exit for records in starts for each in records if each.HasField('exit')]
    assert [end.exit_code for end in ends] == [1, 0]


def test_the_config_is_there_as_a_text(followed):
    pytest.importorskip('wandb')
    texts = [file.read_text() for file in followed.glob('wandb/offline-run-*/files/config.py')]
    assert len(texts) == 2
    assert all("model = dict(type='ToyModel')" in text for text in texts)


@pytest.fixture
def somewhere(monkeypatch, tmp_path):
    """A machine on which nobody is logged in."""
    wandb = pytest.importorskip('wandb')
    for name in ('WANDB_API_KEY', 'WANDB_MODE', 'WANDB_IDENTITY_TOKEN_FILE', 'NETRC'):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv('HOME', str(tmp_path))
    monkeypatch.chdir(tmp_path)
    wandb.teardown()
    yield tmp_path
    wandb.teardown()  # it remembers what it has read


def test_without_a_login_it_is_one_line_with_what_to_do(somewhere):
    with pytest.raises(InputError, match=r'^wandb: nobody is logged in. Type "wandb login" or '):
        WeightsAndBiases.require()


@pytest.mark.parametrize('mode', ['offline', 'disabled'])
def test_nothing_is_needed_where_nothing_is_uploaded(somewhere, monkeypatch, mode):
    monkeypatch.setenv('WANDB_MODE', mode)
    WeightsAndBiases.require()


@pytest.mark.parametrize('place', ['environment', 'netrc'])
def test_a_login_is_found(somewhere, monkeypatch, place):
    if place == 'environment':
        monkeypatch.setenv('WANDB_API_KEY', KEY)
    else:
        (somewhere / '.netrc').write_text(f'machine api.wandb.ai login user password {KEY}')
        (somewhere / '.netrc').chmod(0o600)
    WeightsAndBiases.require()


def test_a_missing_package_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, 'wandb', None)
    with pytest.raises(InputError, match='install it: pip install wandb$'):
        WeightsAndBiases.require()
