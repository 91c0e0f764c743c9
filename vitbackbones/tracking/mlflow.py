"""MLflow: one run there for all starts of a run here.

mmengine's backend logs the config as parameters, which a resumed run may not change, fails on long
ones, and begins a new run at each start. The server and the experiment are those of MLflow's own
variables (``MLFLOW_TRACKING_URI``, ``MLFLOW_EXPERIMENT_NAME``, ``MLFLOW_RUN_NAME``).
"""

import os
import re
import time
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from ..errors import InputError
from ..messages import in_one_line
from ..packages import import_optional
from .tracker import Start, Tracker

EXPERIMENT = 'vitbackbones'
FILES = 'mlruns'  # the default store where the package has no databases
ALLOW_FILES = 'MLFLOW_ALLOW_FILE_STORE'
SOON = {'MLFLOW_HTTP_REQUEST_MAX_RETRIES': '1', 'MLFLOW_HTTP_REQUEST_TIMEOUT': '10'}
NOT_IN_NAMES = re.compile(r'[^A-Za-z0-9_\-./ ]')  # of metrics and pictures


class MLflow(Tracker):
    """Logs to a tracking server, a database or a folder."""

    @staticmethod
    def require() -> None:
        """Look for the package, and for an experiment in a store that takes it.

        Raises:
            InputError: there is none.
        """
        import_optional('mlflow', 'mlflow')
        uri = _store()
        try:
            with _soon():
                _find_experiment(_client(uri))
        except Exception as error:  # of a database, a server, a file system
            raise InputError(
                f'mlflow: {uri} takes no runs ({in_one_line(error)}). Set MLFLOW_TRACKING_URI to '
                'a server that runs, or to file:FOLDER.'
            ) from error

    def start(self, start: Start) -> dict:
        known = start.known or {}
        uri = known.get('uri') or _store()
        self.client = _client(uri)
        if known:
            self.id = known['id']
            self.client.update_run(self.id, status='RUNNING')
        else:
            name = os.environ.get('MLFLOW_RUN_NAME', start.name)
            experiment = _find_experiment(self.client)
            self.id = self.client.create_run(experiment, run_name=name).info.run_id
            self.client.set_tag(self.id, 'work_dir', str(start.work_dir))
        self.client.log_text(self.id, start.config, 'config.py')
        return {'id': self.id, 'uri': uri, 'place': f'run {self.id} of {uri}'}

    def last(self) -> int:
        names = self.client.get_run(self.id).data.metrics
        histories = (self.client.get_metric_history(self.id, name) for name in names)
        return max((metric.step for history in histories for metric in history), default=-1)

    def log(self, values: dict[str, float], iteration: int) -> None:
        from mlflow.entities import Metric

        now = int(1000 * time.time())
        named = {NOT_IN_NAMES.sub('_', name): float(value) for name, value in values.items()}
        metrics = [Metric(name, value, now, iteration) for name, value in named.items()]
        self.client.log_batch(self.id, metrics)

    def show(self, name: str, pixels: np.ndarray, iteration: int) -> None:
        self.client.log_image(self.id, pixels, key=NOT_IN_NAMES.sub('_', name), step=iteration)

    def finish(self, failed: bool) -> None:
        self.client.set_terminated(self.id, 'FAILED' if failed else 'FINISHED')


def _store() -> str:
    """Return the address of the store: MLflow's own choice, or files where that cannot be."""
    import mlflow

    if 'MLFLOW_TRACKING_URI' not in os.environ and find_spec('sqlalchemy') is None:
        return Path(FILES).absolute().as_uri()  # mlflow-skinny, whose default is a database
    return mlflow.get_tracking_uri()


def _client(uri: str):
    from mlflow import MlflowClient

    if uri.startswith(('file:', '/')):
        os.environ.setdefault(ALLOW_FILES, 'true')  # which it refuses since MLflow 3
    return MlflowClient(uri)


def _find_experiment(client) -> str:
    name = os.environ.get('MLFLOW_EXPERIMENT_NAME', EXPERIMENT)
    found = client.get_experiment_by_name(name)
    return found.experiment_id if found else client.create_experiment(name)


@contextmanager
def _soon():
    """Give up within seconds on a server that does not answer; MLflow would try for minutes."""
    chosen = {name: value for name, value in SOON.items() if name not in os.environ}
    os.environ.update(chosen)
    try:
        yield
    finally:
        for name in chosen:
            del os.environ[name]
