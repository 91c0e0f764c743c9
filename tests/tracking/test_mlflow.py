"""Runs of MLflow, read from its store of files."""

import os
import sys

import numpy as np
import pytest

from vitbackbones.errors import InputError
from vitbackbones.tracking import mlflow
from vitbackbones.tracking.mlflow import MLflow
from vitbackbones.tracking.record import read_record
from vitbackbones.tracking.tracker import Start


@pytest.fixture(autouse=True)
def _store_of_files(monkeypatch):
    monkeypatch.setenv('MLFLOW_ALLOW_FILE_STORE', 'true')
    monkeypatch.delenv('MLFLOW_TRACKING_URI', raising=False)


@pytest.fixture
def run(followed):
    """The client of the store, and the run."""
    pytest.importorskip('mlflow')
    named = read_record(followed)['trackers']['mlflow']
    client = mlflow._client(named['uri'])
    return client, client.get_run(named['id'])


def test_a_resumed_run_goes_on_with_every_step_once(run):
    client, found = run
    steps = {
        name: [each.step for each in client.get_metric_history(found.info.run_id, name)]
        for name in found.data.metrics
    }
    assert steps['loss'] == steps['lr'] == [*range(1, 13)]
    assert steps['toy/error'] == [4, 8, 12]


def test_both_starts_are_one_run_under_the_name_of_the_work_dir(run, followed):
    client, found = run
    (experiment,) = (each for each in client.search_experiments() if each.name == 'vitbackbones')
    assert len(client.search_runs([experiment.experiment_id])) == 1
    assert (found.info.run_name, found.info.status) == ('toy', 'FINISHED')
    assert found.data.tags['work_dir'] == str(followed)


def test_the_config_is_there_as_a_text(run, tmp_path):
    client, found = run
    client.download_artifacts(found.info.run_id, 'config.py', str(tmp_path))
    assert "model = dict(type='ToyModel')" in (tmp_path / 'config.py').read_text()


def test_a_picture_and_names_that_mlflow_does_not_take(tmp_path, monkeypatch):
    pytest.importorskip('mlflow')
    monkeypatch.setenv('MLFLOW_TRACKING_URI', f'file:{tmp_path / "runs"}')
    tracker = MLflow()
    tracker.start(Start(tmp_path, 'a name', 'config', {}, 0, None))
    tracker.log({'coco/café (big)_precision': 0.5}, 3)
    tracker.show('pictures/a,b', np.zeros((8, 8, 3), np.uint8), 3)
    tracker.finish(failed=True)
    found = tracker.client.get_run(tracker.id)
    assert found.data.metrics == {'coco/caf_ _big__precision': 0.5}
    assert found.info.status == 'FAILED'
    (picture, _) = sorted(tracker.client.list_artifacts(tracker.id, 'images'), key=lambda a: a.path)
    assert 'a_b+step+3' in picture.path


@pytest.mark.parametrize('uri', ['file:/proc/nowhere', 'http://127.0.0.1:9', 'sql:nothing'])
def test_a_store_that_takes_no_runs_is_one_line(monkeypatch, uri):
    pytest.importorskip('mlflow')
    monkeypatch.setenv('MLFLOW_TRACKING_URI', uri)
    before = dict(os.environ)
    with pytest.raises(InputError, match=f'^mlflow: {uri} takes no runs .*MLFLOW_TRACKING_URI'):
        MLflow.require()
    assert dict(os.environ) == before


@pytest.mark.parametrize('name', ['runs', 'a#b?c', '100%25', 'two\nlines', 'ünï code'])
def test_without_databases_the_default_is_a_folder(tmp_path, monkeypatch, name):
    """It lies where the run was started, not where that name leads as an address."""
    pytest.importorskip('mlflow')
    (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / name)
    monkeypatch.setattr(mlflow, 'find_spec', lambda name: None)
    MLflow.require()
    assert (tmp_path / name / 'mlruns').is_dir()
    assert len([*tmp_path.iterdir()]) == 1


def test_a_missing_package_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, 'mlflow', None)
    with pytest.raises(InputError, match='install it: pip install mlflow$'):
        MLflow.require()
