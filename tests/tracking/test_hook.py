"""Trackers beside the local log: what goes wrong in one of them never ends the run."""

import json
import shutil

import pytest
import torch

from vitbackbones.errors import InputError
from vitbackbones.tracking import hook
from vitbackbones.tracking.backend import Backend
from vitbackbones.tracking.hook import TrackHook
from vitbackbones.tracking.record import read_record
from vitbackbones.tracking.tracker import Tracker

from .conftest import config, train

pytestmark = pytest.mark.compat


class Notes(Tracker):
    """Keeps what it is given; fails in the actions that ``fails`` names."""

    fails = ()
    held = -1
    kept = []

    @staticmethod
    def require():
        raise InputError('notes: no paper')

    def _note(self, action, *arguments):
        if action in self.fails:
            raise ConnectionError(f'{action}:\nno ink')
        self.kept.append((action, *arguments))

    def start(self, start):
        self._note('start', start.name, start.iteration, start.known)
        return {'place': 'on the table', 'id': 7}

    def last(self):
        return self.held

    def log(self, values, iteration):
        self._note('log', sorted(values), iteration)

    def show(self, name, pixels, iteration):
        self._note('show', name, iteration)

    def finish(self, failed):
        self._note('finish', failed)


@pytest.fixture
def kept(monkeypatch):
    monkeypatch.setattr(Notes, 'kept', [])
    monkeypatch.setitem(hook.TRACKERS, 'notes', '...tests')
    monkeypatch.setattr(hook, 'tracker_class', lambda name: Notes)
    return Notes.kept


def local_log(work_dir):
    (file,) = work_dir.glob('*/vis_data/scalars.json')
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_tracker_is_told_what_the_local_log_holds(tmp_path, kept):
    train(config(tmp_path / 'first', trackers=['notes']))
    assert kept[0] == ('start', 'first', 0, None)
    assert kept[-1] == ('finish', False)
    rows = kept[1:-1]
    iterations = [1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 9, 10, 11, 12, 12]
    assert [iteration for *_, iteration in rows] == iterations
    assert rows[4] == ('log', ['toy/error'], 4)  # without the time of an evaluation's batches
    assert {'loss', 'lr', 'epoch', 'time'} <= {*rows[0][1]}
    assert len(local_log(tmp_path / 'first')) == len(iterations)


def resumed(work_dir):
    return {'resume': True, 'load_from': str(work_dir / 'epoch_1.pth')}


def test_a_resumed_run_is_known_and_gets_nothing_twice(tmp_path, kept, monkeypatch):
    with pytest.raises(RuntimeError, match='no more of it'):
        train(config(tmp_path, {'type': 'FailsInEpoch2'}, trackers=['notes']))
    assert kept[-1] == ('finish', True)
    assert read_record(tmp_path)['status'] == 'stopped: no more of it'
    kept.clear()
    monkeypatch.setattr(Notes, 'held', 6)
    train(config(tmp_path, trackers=['notes'], **resumed(tmp_path)))
    assert kept[0] == ('start', tmp_path.name, 4, {'place': 'on the table', 'id': 7})
    assert [row[-1] for row in kept[1:-1]] == [7, 8, 8, 9, 10, 11, 12, 12]
    record = read_record(tmp_path)
    assert record['status'] == 'finished'
    assert [start['iteration'] for start in record['starts']] == [0, 4]


@pytest.mark.parametrize('change', ['copied', 'moved', 'linked', 'copied over'])
def test_a_copy_is_a_run_of_its_own(tmp_path, kept, change):
    """One that stands beside its original, which may go on as well."""
    first, other = tmp_path / 'first', tmp_path / 'other'
    train(config(first, trackers=['notes']))
    if change == 'linked':
        other.symlink_to(first)
    else:
        shutil.copytree(first, other)
    if change == 'moved':
        shutil.rmtree(first)
    if change == 'copied over':  # the folder has another run now
        (first / 'tracking.json').unlink()
    kept.clear()
    train(config(other, trackers=['notes'], **resumed(other)))
    known = None if change == 'copied' else {'place': 'on the table', 'id': 7}
    assert kept[0] == ('start', 'other', 4, known)
    kept.clear()
    train(config(other, trackers=['notes'], **resumed(other)))
    assert kept[0][-1] == {'place': 'on the table', 'id': 7}  # of the copy now


@pytest.mark.parametrize(
    ('held', 'forgets', 'missed'),
    [(3, False, [4, 4, 5, 6]), (-1, False, [1, 2, 3, 4, 4, 5, 6]), (-1, True, [1, 2, 3, 4, 4])],
)
def test_what_a_tracker_has_missed_comes_from_the_local_log(
    tmp_path, kept, monkeypatch, held, forgets, missed
):
    """A kill took what was not written, the tracker has failed, or it is a new one."""
    with pytest.raises(RuntimeError, match='no more of it'):
        train(config(tmp_path, {'type': 'FailsInEpoch2'}))
    monkeypatch.setattr(Notes, 'held', held)
    monkeypatch.setattr(Notes, 'forgets', forgets)
    train(config(tmp_path, trackers=['notes'], **resumed(tmp_path)))
    iterations = [iteration for *_, iteration in kept[1:-1]]
    again = [5, 6] if forgets else []
    assert iterations == [*missed, *again, 7, 8, 8, 9, 10, 11, 12, 12]
    assert [row[1] for row in kept if row[0] == 'log' and row[2] == 4][-1] == ['toy/error']


def test_a_run_that_begins_is_another_one(tmp_path, kept):
    train(config(tmp_path, trackers=['notes']))
    kept.clear()
    train(config(tmp_path, trackers=['notes']))
    assert kept[0] == ('start', tmp_path.name, 0, None)
    assert len(kept) == 17
    assert len(read_record(tmp_path)['starts']) == 1


@pytest.mark.parametrize(('action', 'told'), [('start', 0), ('log', 1), ('finish', 16)])
def test_a_tracker_that_fails_is_one_warning(tmp_path, kept, monkeypatch, capsys, action, told):
    monkeypatch.setattr(Notes, 'fails', (action,))
    tracked = train(config(tmp_path / 'tracked', trackers=['notes']))
    (line,) = [line for line in capsys.readouterr().out.splitlines() if 'no longer' in line]
    message = f'notes no longer follows this run, and the local log goes on: {action}: no ink'
    assert line.endswith(message)
    assert len(kept) == told
    assert len(local_log(tmp_path / 'tracked')) == 15
    bare = train(config(tmp_path / 'bare'))
    assert torch.equal(tracked.model.line.weight, bare.model.line.weight)


def test_pictures_have_the_iteration_of_their_evaluation(kept):
    backend = Backend('notes', Notes(), lambda: 250, (), print)
    backend.add_image('a', None, step=3)
    backend.add_scalar('b', 1.0)
    assert kept == [('show', 'a', 250), ('log', ['b'], 250)]


def test_an_unknown_tracker_is_named():
    with pytest.raises(InputError, match=r"trackers=\['tensorbord'\]: unknown; known are tensorb"):
        TrackHook(['tensorbord'])


def test_a_record_that_cannot_be_written_is_a_warning(tmp_path, capsys):
    (tmp_path / 'tracking.json').mkdir()
    assert train(config(tmp_path)).iter == 12
    assert 'tracking.json cannot be written' in capsys.readouterr().out
