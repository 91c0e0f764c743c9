"""Pictures at each evaluation, and a run that does not depend on them."""

from types import SimpleNamespace

import pytest
import torch
from PIL import Image

from vitbackbones.tracking import pictures
from vitbackbones.tracking.backend import Backend

from ..training.toy import by_iteration, loader
from .conftest import config, train
from .test_hook import Notes

PICTURES = {'type': 'vitbackbones.PicturesHook', 'count': 2}
EXACT = {'type': 'vitbackbones.ExactResumeHook'}
NOISY = {
    'model': {'type': 'NoisyModel'},
    'train_dataloader': loader(dataset={'type': 'NoisyData'}),
}

pytestmark = pytest.mark.compat


@pytest.fixture
def weights(monkeypatch):
    """A task whose pictures show the model's weight, and use random numbers; what they showed."""
    shown = []

    def draw(model, dataset, count, threshold):
        torch.rand(3)
        for i in range(count):
            assert not model.training
            shown.append(next(model.parameters()).detach().clone())
            yield f'{i:05d}', Image.new('RGB', (8, 8))

    monkeypatch.setattr(pictures, 'find_task', lambda config: SimpleNamespace(draw=draw))
    return shown


@pytest.mark.parametrize(
    ('changes', 'folders'),
    [({}, ['epoch_1', 'epoch_2', 'epoch_3']), (by_iteration(), ['iter_4', 'iter_8'])],
    ids=['epochs', 'iterations'],
)
def test_each_evaluation_has_a_folder(tmp_path, weights, changes, folders):
    earlier = tmp_path / 'pictures' / 'epoch_9'
    earlier.mkdir(parents=True)
    (tmp_path / 'pictures' / 'mine.png').touch()
    train(config(tmp_path, PICTURES, **changes))
    found = sorted((tmp_path / 'pictures').iterdir())
    assert [folder.name for folder in found] == [*folders, 'mine.png']
    assert all(len([*folder.glob('*.jpg')]) == 2 for folder in found[:-1])


def test_drawing_changes_nothing_of_a_run(tmp_path, weights):
    states = [
        train(config(tmp_path / name, EXACT, *hooks, **NOISY)).model.state_dict()
        for name, hooks in {'drawn': [PICTURES], 'bare': []}.items()
    ]
    assert len(weights) == 6
    assert all(map(torch.equal, *(state.values() for state in states)))


def test_the_evaluated_weights_are_shown(tmp_path, weights):
    average = {'type': 'vitbackbones.EMAHook', 'momentum': 0.5}
    runner = train(config(tmp_path, average, PICTURES))
    (hook,) = (each for each in runner.hooks if type(each).__name__ == 'EMAHook')
    assert torch.equal(weights[-1], hook.ema_model.module.line.weight)
    assert not torch.equal(weights[-1], runner.model.line.weight)


def test_what_cannot_be_drawn_is_one_warning(tmp_path, capsys):
    assert train(config(tmp_path, PICTURES)).iter == 12  # of no task
    said = capsys.readouterr().out
    assert said.count('warning: predictions of this run are not drawn: ') == 1


def test_trackers_get_the_pictures(monkeypatch):
    monkeypatch.setattr(Notes, 'kept', [])
    backends = {'notes': Backend('notes', Notes(), lambda: 4, (), print), 'local': None}
    runner = SimpleNamespace(visualizer=SimpleNamespace(_vis_backends=backends), iter=4)
    pictures._show(runner, 'pictures/a', Image.new('L', (4, 4)))
    assert Notes.kept == [('show', 'pictures/a', 4)]
