"""Trackers, read as their own programs read them."""

import json
import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from mmengine.config import Config
from mmengine.visualization.vis_backend import BaseVisBackend

from vitbackbones.trackers import backends
from vitbackbones.trackers.backends import MLflow, OneAxis, TensorBoard, WandB

from ..isolation import process_of_its_own
from .conftest import config, resumed, train

RUN = 16 * 'a'
PICTURE = np.zeros((8, 8, 3), np.uint8)


@pytest.fixture
def runner(tmp_path, monkeypatch):
    """What backends need of a runner, and the warnings that it was given."""
    warnings = []
    logger = SimpleNamespace(warning=warnings.append, info=print)
    work_dir = tmp_path / 'a run'
    work_dir.mkdir()
    monkeypatch.setenv('MLFLOW_TRACKING_URI', f'file:{tmp_path / "runs"}')
    monkeypatch.setenv('WANDB_MODE', 'offline')
    monkeypatch.setenv('WANDB_SILENT', 'true')
    settings = Config({'a': {'b': 1}})
    given = {'logger': logger, 'warnings': warnings}
    return SimpleNamespace(iter=0, work_dir=str(work_dir), cfg=settings, **given)


class Notes(OneAxis, BaseVisBackend):
    """Keeps what it is given."""

    experiment = None

    def _init_env(self):
        self.kept = []

    def write(self, values, step):
        self.kept.append((values, step))

    def show(self, name, image, step):
        self.kept.append((name, step))

    def finish(self, failed):
        self.kept.append(failed)


@pytest.mark.parametrize(
    ('values', 'step', 'kept'),
    [
        ({'loss': 1.0, 'iter': 7, 'time': 0.5, 'lr': 2, 'note': 'x'}, 7, {'loss', 'time', 'lr'}),
        ({'mAP': 0.5, 'step': 1, 'time': 0.5, 'data_time': 0.1}, 1, {'mAP'}),
    ],
)
def test_all_is_over_iterations_done(runner, values, step, kept):
    runner.iter = 5
    notes = Notes(runner, RUN)
    assert (notes.run, notes.is_over) == (RUN, False)
    notes.add_scalars(values, step)
    ((found, place),) = notes.kept
    assert {*found} == kept
    assert place == max(step, 5)
    notes.add_scalar('one', 2.0)
    notes.add_image('a', PICTURE, 9)
    notes.add_image('b', PICTURE)
    assert notes.kept[1:] == [({'one': 2.0}, 5), ('a', 9), ('b', 5)]
    notes.close()
    notes.add_scalar('late', 1.0)
    assert notes.kept[4:] == [False]


def test_the_first_error_is_the_last_one(runner):
    notes = Notes(runner, RUN)
    notes.attempt(lambda: 1 / 0)
    notes.attempt(lambda: 1 / 0)
    (text,) = runner.warnings
    assert text.startswith('Notes stops following this run')
    assert text.endswith('division by zero')
    assert notes.is_over


# ------------------------------------------------------------------------ TensorBoard


def events(work_dir):
    pytest.importorskip('tensorboard')
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    found = EventAccumulator(str(work_dir / 'tensorboard'))
    found.Reload()
    return found


def steps(work_dir, name):
    return [event.step for event in events(work_dir).Scalars(name)]


def test_tensorboard_has_every_step_of_a_resumed_run_once(followed):
    assert steps(followed, 'loss') == steps(followed, 'lr') == [*range(1, 13)]
    assert steps(followed, 'toy/error') == [4, 8, 12]  # iterations, as those of the loss
    assert steps(followed, 'time') == [*range(1, 13)]  # of training alone


def test_tensorboard_has_pictures_at_the_iterations_done(runner):
    pytest.importorskip('tensorboard')
    runner.iter = 250
    tracker = TensorBoard(runner, RUN)
    tracker.add_image('a', PICTURE, step=3)
    tracker.add_scalar('b', 1.0)
    tracker.close()

    found = events(Path(runner.work_dir))
    assert [each.step for each in found.Images('a') + found.Scalars('b')] == [250, 250]


# ------------------------------------------------------------------------ wandb


@pytest.fixture
def wandb(monkeypatch):
    """wandb without a process of its own; ``calls`` are those that it got."""
    wandb = pytest.importorskip('wandb')
    calls = []
    monkeypatch.setattr(wandb, 'init', lambda **options: calls.append(options))
    monkeypatch.setattr(wandb, 'log', lambda values, step: calls.append((step, *values)))
    monkeypatch.setattr(wandb, 'finish', lambda exit_code: calls.append(exit_code))
    monkeypatch.setattr(wandb, 'run', SimpleNamespace(step=7))
    wandb.teardown()  # what it knew of the environment
    yield SimpleNamespace(calls=calls)
    wandb.teardown()


def test_wandb_gets_the_config_and_no_step_that_it_has(runner, wandb):
    tracker = WandB(runner, RUN)
    tracker.add_scalars({'iter': 7, 'loss': 0.5}, step=7)
    tracker.add_scalars({'iter': 6, 'loss': 0.4}, step=6)
    tracker.add_image('seen', PICTURE, step=8)
    tracker.close(failed=True)
    assert runner.warnings == []
    begun, *logged, status = wandb.calls
    assert (begun['id'], begun['dir'], begun['settings'].console) == (RUN, runner.work_dir, 'off')
    assert begun['config'] == {'a': {'b': 1}}
    assert logged == [(7, 'loss'), (8, 'seen')]
    assert status == 1


@pytest.mark.parametrize(
    ('variables', 'expected'),
    [
        ({'MODE': 'online'}, ('vitbackbones', 'a run', 'allow')),
        ({'MODE': 'offline', 'PROJECT': 'mine', 'NAME': 'so'}, ('mine', 'so', None)),
    ],
)
def test_what_is_of_the_users_own_wins_in_wandb(runner, wandb, monkeypatch, variables, expected):
    for name, value in variables.items():
        monkeypatch.setenv(f'WANDB_{name}', value)
    WandB(runner, RUN)
    (begun,) = wandb.calls
    assert (begun['project'], begun['name'], begun['resume']) == expected


@pytest.mark.parametrize('folder', ['wandb', '.wandb'])
def test_a_server_that_a_file_in_the_work_dir_names_gets_nothing(
    runner, monkeypatch, stranger, folder
):
    """wandb takes settings from the folder in which it is started."""
    wandb = pytest.importorskip('wandb')
    address, arrived = stranger
    monkeypatch.chdir(runner.work_dir)
    os.mkdir(folder)
    with open(f'{folder}/settings', 'w') as file:
        file.write(f'[default]\nbase_url = {address}\n')
    monkeypatch.setenv('WANDB_MODE', 'online')
    monkeypatch.setenv('WANDB_API_KEY', 40 * 'a')
    monkeypatch.delenv('WANDB_BASE_URL', raising=False)
    wandb.teardown()
    WandB(runner, RUN).close()
    wandb.teardown()
    (warning,) = runner.warnings
    assert (
        f'{folder}/settings may contain the address of a server that is not yours; remove it'
        in warning
    )
    assert arrived == []


# ------------------------------------------------------------------------ MLflow


@pytest.fixture
def mlflow():
    mlflow = pytest.importorskip('mlflow')
    with process_of_its_own():
        for name in ('MLFLOW_ALLOW_FILE_STORE', 'MLFLOW_EXPERIMENT_ID'):
            os.environ.pop(name, None)
        yield mlflow
        mlflow.end_run()


def mlflow_runs(client):
    (experiment,) = (each for each in client.search_experiments() if each.name == 'vitbackbones')
    return client.search_runs([experiment.experiment_id])


def test_mlflow_has_both_starts_as_one_run_and_the_config(followed, tmp_path):
    mlflow = pytest.importorskip('mlflow')
    client = mlflow.MlflowClient(f'file:{followed.parent / "mlruns"}')
    (found,) = mlflow_runs(client)
    found_steps = {
        name: [each.step for each in client.get_metric_history(found.info.run_id, name)]
        for name in found.data.metrics
    }
    assert found_steps['loss'] == found_steps['lr'] == [*range(1, 13)]
    assert found_steps['toy/error'] == [4, 8, 12]
    assert (found.info.run_name, found.info.status) == ('toy', 'FINISHED')
    client.download_artifacts(found.info.run_id, 'config.py', str(tmp_path))
    assert "model = dict(type='ToyModel')" in (tmp_path / 'config.py').read_text()


def test_mlflow_gets_pictures_and_names_that_it_takes(runner, mlflow):
    tracker = MLflow(runner, RUN)
    run = mlflow.active_run().info.run_id
    tracker.add_scalars({'coco/café (big)_precision': 0.5}, 3)
    tracker.add_image('pictures/a,b', PICTURE, 3)
    tracker.close(failed=True)
    assert runner.warnings == []
    client = mlflow.MlflowClient()
    found = client.get_run(run)
    assert found.data.metrics == {'coco/caf_ _big__precision': 0.5}
    assert found.info.status == 'FAILED'
    paths = [each.path for each in client.list_artifacts(run, 'images')]
    assert any('a_b+step+3' in path for path in paths)


def test_a_server_in_a_store_of_the_current_folder_gets_nothing(
    runner, mlflow, tmp_path, monkeypatch, stranger
):
    address, arrived = stranger
    store = tmp_path / 'mlruns' / '0'
    store.mkdir(parents=True)
    (store / 'meta.yaml').write_text(
        f'artifact_location: {address}\nexperiment_id: "0"\nlifecycle_stage: active\n'
        'name: vitbackbones\n'
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv('MLFLOW_TRACKING_URI')
    monkeypatch.setattr(backends, 'find_spec', lambda name: None)
    MLflow(runner, RUN).close()
    assert arrived == []
    assert f'{address}/' in runner.warnings[0]


def test_an_address_in_a_work_dir_gets_nothing(tmp_path, mlflow, monkeypatch, stranger, capsys):
    address, arrived = stranger
    monkeypatch.setenv('MLFLOW_TRACKING_URI', f'file:{tmp_path / "runs"}')
    monkeypatch.setenv('MLFLOW_TRACKING_TOKEN', 'SECRET')
    work_dir, track = tmp_path / 'toy', {'trackers': ['mlflow']}
    train(config(work_dir, track=track))
    record = json.loads((work_dir / 'tracking.json').read_text())
    record |= {'id': RUN, 'uri': address, 'place': address, 'work_dir': address}
    (work_dir / 'tracking.json').write_text(json.dumps(record))
    train(config(work_dir, track=track, **resumed(work_dir)))
    assert arrived == []
    assert (
        f'tracking.json belongs to {address}, but this is {work_dir}: ' in capsys.readouterr().out
    )
    assert len(mlflow_runs(mlflow.MlflowClient())) == 2
