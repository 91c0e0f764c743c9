"""mmengine's tracker backends with one axis, and one tracker run for all starts of a run.

mmengine numbers evaluations by epochs, losses by iterations, and begins a new run at each start.
Servers, projects and names are those of each tracker's own variables, never those of a file.
"""

import os
import re
from importlib.util import find_spec
from numbers import Real
from pathlib import Path
from urllib.parse import urlparse

from mmengine.visualization import MLflowVisBackend, TensorboardVisBackend, WandbVisBackend

from ..errors import InputError
from ..utils.messages import in_one_line
from . import NAMES

OWN = 'vitbackbones'  # project in wandb, experiment in MLflow
# Of an evaluation, the times of its batches, which would join the curves of training.
PLACES = {'iter', 'step'}
TIMES = {'time', 'data_time'}
NOT_IN_NAMES = re.compile(r'[^A-Za-z0-9_\-./ ]')  # of MLflow's metrics and pictures


class OneAxis:
    """Mixin of a backend: logs everything over iterations, and stops at the first error.

    ``runner`` has loaded its checkpoint; ``run`` is the same id at each start of a run.
    """

    def __init__(self, runner, run: str) -> None:
        super().__init__(save_dir=runner.work_dir)
        self.runner = runner
        self.run = run
        self.is_over = False
        self.attempt(self._init_env)
        self._env_initialized = True

    def attempt(self, action, *arguments) -> None:
        """Do something in the tracker, and nothing any more once that has failed."""
        try:
            if not self.is_over:
                action(*arguments)
        except Exception as error:  # whatever it is, the run is worth more
            self.is_over = True
            said = f'{type(self).__name__} stops following this run; the local log continues'
            self.runner.logger.warning(f'{said}: {in_one_line(error)}')

    def add_scalar(self, name: str, value: float, step: int = 0, **_) -> None:
        self.add_scalars({name: value}, step)

    def add_scalars(self, scalar_dict: dict, step: int = 0, file_path: str = '', **_) -> None:
        left_out = PLACES if 'iter' in scalar_dict else PLACES | TIMES
        kept = {k: v for k, v in scalar_dict.items() if k not in left_out and isinstance(v, Real)}
        # an epoch, which numbers evaluations, is never more than the iterations up to its end
        self.attempt(self.write, kept, max(step, self.runner.iter))

    def add_image(self, name: str, image, step: int = 0, **_) -> None:
        self.attempt(self.show, name, image, max(step, self.runner.iter))

    def close(self, failed: bool = False) -> None:
        self.attempt(self.finish, failed)
        self.is_over = True


class TensorBoard(OneAxis, TensorboardVisBackend):
    """Event files in ``WORK_DIR/tensorboard``. A resumed run hides what it will log again."""

    def _init_env(self) -> None:
        from torch.utils.tensorboard import SummaryWriter  # of an optional package

        done = self.runner.iter
        self._tensorboard = SummaryWriter(
            f'{self._save_dir}/tensorboard', purge_step=done + 1 if done else 0
        )
        self._tensorboard.add_text('config', f'```\n{self.runner.cfg.pretty_text}\n```', done)

    def write(self, values: dict, step: int) -> None:
        for name, value in values.items():
            self._tensorboard.add_scalar(name, value, step)
        self._tensorboard.flush()  # a kill would take what waits

    def show(self, name: str, image, step: int) -> None:
        self._tensorboard.add_image(name, image, step, dataformats='HWC')

    def finish(self, failed: bool) -> None:
        self._tensorboard.close()


class WandB(OneAxis, WandbVisBackend):
    """A run of wandb. Its values are kept, and are not logged again."""

    def _init_env(self) -> None:
        for file in Path(self._save_dir).glob('*wandb/settings'):  # read if this is the current dir
            raise InputError(
                f'{file} may contain the address of a server that is not yours; remove it'
            )
        import wandb

        own = wandb.setup().settings
        self._init_kwargs = {
            'project': own.project or OWN,
            'name': own.run_name or Path(self._save_dir).name,
            'id': own.run_id or self.run,
            'resume': None if own.mode in ('offline', 'dryrun', 'disabled') else 'allow',
            'config': self.runner.cfg.to_dict(),
            'settings': wandb.Settings(console='off'),  # the log is in the work dir
        }
        super()._init_env()

    def write(self, values: dict, step: int) -> None:
        if step >= self._wandb.run.step:
            self._wandb.log(values, step=step)

    def show(self, name: str, image, step: int) -> None:
        self.write({name: self._wandb.Image(image)}, step)

    def finish(self, failed: bool) -> None:
        self._wandb.finish(exit_code=int(failed))


class MLflow(OneAxis, MLflowVisBackend):
    """A run of MLflow, found by a tag. Its values are kept, and are not logged again."""

    def _init_env(self) -> None:
        import mlflow

        own = os.environ.get('MLFLOW_TRACKING_URI')
        os.environ.setdefault('MLFLOW_ALLOW_FILE_STORE', 'true')
        os.environ.setdefault('MLFLOW_HTTP_REQUEST_MAX_RETRIES', '3')  # it would try for minutes
        if find_spec('sqlalchemy') is None:  # of the default, a database
            os.environ.setdefault('MLFLOW_TRACKING_URI', Path('mlruns').absolute().as_uri())
        mlflow.set_experiment(os.environ.get('MLFLOW_EXPERIMENT_NAME', OWN))
        query = f"tags.vitbackbones_run = '{self.run}'"
        self._mlflow = mlflow
        self.held = {}
        for found in mlflow.search_runs(filter_string=query, output_format='list')[:1]:
            mlflow.start_run(found.info.run_id)
            for name in found.data.metrics:
                history = mlflow.MlflowClient().get_metric_history(found.info.run_id, name)
                self.held[name] = max(each.step for each in history)
        if not mlflow.active_run():
            name = os.environ.get('MLFLOW_RUN_NAME', Path(self._save_dir).name)
            mlflow.start_run(run_name=name, tags={'vitbackbones_run': self.run})
        files = mlflow.active_run().info.artifact_uri
        if own is None and urlparse(files).scheme not in ('', 'file'):  # of the current folder
            raise InputError(
                f'{files}, where files are stored, may be on a server that is not yours; set '
                'MLFLOW_TRACKING_URI'
            )
        place = f'{mlflow.active_run().info.run_id} of {mlflow.get_tracking_uri()}'
        self.runner.logger.info(f'MLflow: run {place}')
        mlflow.log_text(self.runner.cfg.pretty_text, 'config.py')

    def write(self, values: dict, step: int) -> None:
        named = {NOT_IN_NAMES.sub('_', name): float(value) for name, value in values.items()}
        new = {name: value for name, value in named.items() if step > self.held.get(name, -1)}
        self._mlflow.log_metrics(new, step=step)

    def show(self, name: str, image, step: int) -> None:
        self._mlflow.log_image(image, key=NOT_IN_NAMES.sub('_', name), step=step)

    def finish(self, failed: bool) -> None:
        self._mlflow.end_run('FAILED' if failed else 'FINISHED')


TRACKERS = dict(zip(NAMES, (TensorBoard, WandB, MLflow), strict=True))
