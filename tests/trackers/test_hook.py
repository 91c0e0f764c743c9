"""A run that is followed: what goes wrong in a tracker, a picture or the page never ends it."""

import json
import re
import shutil
from types import SimpleNamespace

import pytest
import torch
from mmengine.config import Config
from mmengine.visualization.vis_backend import BaseVisBackend
from PIL import Image

from vitbackbones.errors import InputError
from vitbackbones.trackers import hook
from vitbackbones.trackers.backends import TRACKERS, OneAxis
from vitbackbones.trackers.hook import TrackHook
from vitbackbones.trackers.run_page import pictures_of, read_record

from ..training.toy import by_iteration, loader
from .conftest import config, resumed, train

EXACT = {'type': 'vitbackbones.ExactResumeHook'}
NOISY = {
    'model': {'type': 'NoisyModel'},
    'train_dataloader': loader(dataset={'type': 'NoisyData'}),
}
TRACK = {'trackers': ['notes']}
FAILING = {'type': 'FailsInEpoch2'}

pytestmark = pytest.mark.compat


class Notes(OneAxis, BaseVisBackend):
    """Keeps what it is given; fails in the action that ``fails`` names."""

    fails = ''
    kept = []
    experiment = None

    def note(self, action, *given):
        if action == self.fails:
            raise ConnectionError(f'{action}:\nno ink')
        self.kept.append((action, *given))

    def _init_env(self):
        self.note('start', self.run)

    def write(self, values, step):
        self.note('write', sorted(values), step)

    def show(self, name, image, step):
        self.note('show', name, step)

    def finish(self, failed):
        self.note('finish', failed)


@pytest.fixture
def kept(monkeypatch):
    monkeypatch.setattr(Notes, 'kept', [])
    monkeypatch.setitem(TRACKERS, 'notes', Notes)
    return Notes.kept


def local_log(work_dir):
    (file,) = work_dir.glob('*/vis_data/scalars.json')
    return [json.loads(line) for line in file.read_text().splitlines()]


# ------------------------------------------------------------------------ trackers


@pytest.fixture
def runner(tmp_path):
    """What the hook needs of a runner at the beginning of a run, and what its log says."""
    said = []
    logger = SimpleNamespace(info=said.append, warning=said.append)
    given = {'iter': 0, 'work_dir': str(tmp_path), 'cfg': Config({'a': 1}), 'logger': logger}
    return SimpleNamespace(**given, said=said, visualizer=SimpleNamespace(_vis_backends={}))


def test_what_a_run_is_followed_with_by_default():
    plain = TrackHook()
    assert (plain.names, plain.pictures, plain.score_threshold) == ((), 4, 0.3)
    assert (plain.trackers, plain.record) == ([], {})


def test_the_record_says_what_state_a_run_is_in(runner, kept, tmp_path):
    tracking = TrackHook(['notes'], pictures=0)
    tracking.after_val(runner)  # of a test
    assert read_record(tmp_path) == {}
    tracking.before_train(runner)
    record = read_record(tmp_path)
    assert (record['status'], record['work_dir']) == ('running', str(tmp_path))
    assert record['config'] == 'a = 1\n'
    assert re.fullmatch('[0-9a-f]{16}', record['run'])
    assert runner.visualizer._vis_backends == {'notes': tracking.trackers[0]}
    assert not (tmp_path / 'run.html').exists()  # nothing is logged yet
    tracking.after_stop(runner, 'too hot')
    assert read_record(tmp_path)['status'] == 'stopped: too hot'
    assert kept == [('start', record['run']), ('finish', True)]


@pytest.mark.parametrize(('done', 'is_same'), [(4, True), (0, False)])
def test_a_run_that_goes_on_is_the_same(runner, kept, tmp_path, done, is_same):
    TrackHook(['notes']).before_train(runner)
    picture = tmp_path / 'pictures' / 'epoch_1' / 'a.jpg'
    picture.parent.mkdir(parents=True)
    picture.touch()
    first = read_record(tmp_path)['run']
    runner.iter = done
    TrackHook(['notes']).before_train(runner)
    assert (read_record(tmp_path)['run'] == first) is is_same
    assert picture.exists() is is_same  # of an earlier run
    assert not any('start a new run' in text for text in runner.said)


def test_a_run_that_was_followed_elsewhere_is_another(runner, kept, tmp_path):
    TrackHook(['notes']).before_train(runner)
    record = read_record(tmp_path)
    (tmp_path / 'tracking.json').write_text(json.dumps(record | {'work_dir': '/elsewhere'}))
    runner.iter = 4
    TrackHook(['notes']).before_train(runner)
    assert read_record(tmp_path)['run'] != record['run']
    assert any('belongs to /elsewhere' in text for text in runner.said)


def test_a_resumed_run_is_the_same_and_a_new_one_is_another(tmp_path, kept):
    with pytest.raises(RuntimeError, match='no more of it'):
        train(config(tmp_path, FAILING, track=TRACK))
    assert kept[-1] == ('finish', True)
    assert read_record(tmp_path)['status'] == 'stopped: no more of it'
    first = kept[0]
    assert first == ('start', read_record(tmp_path)['run'])
    kept.clear()
    train(config(tmp_path, track=TRACK, **resumed(tmp_path)))
    assert (kept[0], kept[-1]) == (first, ('finish', False))
    assert [row[-1] for row in kept[1:-1]] == [5, 6, 7, 8, 8, 9, 10, 11, 12, 12]
    assert kept[5] == ('write', ['toy/error'], 8)  # without the time of an evaluation's batches
    assert read_record(tmp_path)['status'] == 'finished'
    kept.clear()
    train(config(tmp_path, track=TRACK))
    assert kept[0] != first


def test_a_copy_is_a_run_of_its_own(tmp_path, kept, capsys):
    first, other = tmp_path / 'first', tmp_path / 'other'
    train(config(first, track=TRACK))
    shutil.copytree(first, other)
    train(config(other, track=TRACK, **resumed(other)))
    line = f'tracking.json belongs to {first}, but this is {other}: the trackers start a new run'
    assert line in capsys.readouterr().out
    runs = [row[1] for row in kept if row[0] == 'start']
    assert runs[0] != runs[1]


def test_a_damaged_record_is_replaced(tmp_path, kept):
    train(config(tmp_path, track=TRACK))
    hostile = json.dumps(read_record(tmp_path) | {'run': "x' OR '1'='1"})
    (tmp_path / 'tracking.json').write_text(hostile)
    train(config(tmp_path, track=TRACK, **resumed(tmp_path)))
    runs = [row[1] for row in kept if row[0] == 'start']
    assert runs[0] != runs[1] == read_record(tmp_path)['run']


@pytest.mark.parametrize(('action', 'told'), [('start', 0), ('write', 1), ('finish', 16)])
def test_a_tracker_that_fails_is_one_warning(tmp_path, kept, monkeypatch, capsys, action, told):
    monkeypatch.setattr(Notes, 'fails', action)
    tracked = train(config(tmp_path / 'tracked', track=TRACK))
    (line,) = [line for line in capsys.readouterr().out.splitlines() if 'stops following' in line]
    message = f'Notes stops following this run; the local log continues: {action}: no ink'
    assert line.endswith(message)
    assert len(kept) == told
    assert len(local_log(tmp_path / 'tracked')) == 15
    bare = train(config(tmp_path / 'bare'))
    assert torch.equal(tracked.model.line.weight, bare.model.line.weight)


def test_an_unknown_tracker_is_named():
    with pytest.raises(InputError, match=r"TrackHook: \{'tensorbord'\} unknown; use some of tens"):
        TrackHook(['tensorbord'])


# ------------------------------------------------------------------------ pictures


@pytest.fixture
def weights(monkeypatch):
    """A task whose pictures show the model's weight, and use random numbers; what they showed."""
    shown = []

    class Task:
        @staticmethod
        def draw(model, dataset, count, threshold):
            torch.rand(3)
            for i in range(count):
                assert not model.training
                shown.append(next(model.parameters()).detach().clone())
                yield f'{i:05d}', Image.new('L', (8, 8))

    monkeypatch.setattr(hook, 'find_task', lambda config: Task)
    return shown


def test_each_evaluation_has_pictures(tmp_path, weights, kept):
    train(config(tmp_path, track=TRACK | {'pictures': 2}, **by_iteration()))
    found = sorted(file.parent.name for file in pictures_of(tmp_path))
    assert found == ['iter_4', 'iter_4', 'iter_8', 'iter_8']
    shown = [row for row in kept if row[0] == 'show']
    names = ('pictures/00000', 'pictures/00001')
    assert shown == [('show', name, step) for step in (4, 8) for name in names]


def test_pictures_of_an_earlier_run_and_no_others_are_removed(tmp_path):
    folder, private = tmp_path / 'pictures', tmp_path / 'private'
    own, mine, linked = folder / 'epoch_9' / 'a.jpg', folder / 'my_own' / 'a.jpg', private / 'a.jpg'
    for file in (own, mine, linked):
        file.parent.mkdir(parents=True)
        file.touch()
    (own.parent / 'b.jpg').mkdir()
    (folder / 'epoch_8').symlink_to(private)
    train(config(tmp_path, track={'pictures': 0}))
    assert [file.exists() for file in (own, mine, linked)] == [False, True, True]


def test_drawing_changes_nothing_of_a_run(tmp_path, weights):
    drawn = train(config(tmp_path / 'drawn', EXACT, track={'pictures': 2}, **NOISY))
    bare = train(config(tmp_path / 'bare', EXACT, track={'pictures': 0}, **NOISY))
    assert len(weights) == 6
    states = [runner.model.state_dict().values() for runner in (drawn, bare)]
    assert all(map(torch.equal, *states))


def test_the_evaluated_weights_are_shown(tmp_path, weights):
    average = {'type': 'vitbackbones.EMAHook', 'momentum': 0.5}
    runner = train(config(tmp_path, average))
    (own,) = (each for each in runner.hooks if type(each).__name__ == 'EMAHook')
    assert torch.equal(weights[-1], own.ema_model.module.line.weight)
    assert not torch.equal(weights[-1], runner.model.line.weight)


def test_what_cannot_be_drawn_is_one_warning(tmp_path, capsys):
    assert train(config(tmp_path)).iter == 12  # of no task
    said = capsys.readouterr().out
    assert said.count('warning: predictions of this run cannot be visualized: ') == 1
