"""Curves of a run in its work dir.

``curves.png`` has losses, learning rates and metrics. It is drawn at the end of a run, however it
ends, and after an evaluation if the last picture is a minute old. A resumed run shows all of its
starts as one.

``coefficients.csv`` has learned residual coefficients at every epoch. SReT's Fig. 6(2) and 16 show
how they evolve; ``analyze coefficients`` draws them. An epoch is a pass over the training data,
also where a loop counts iterations.
"""

import math
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from mmengine.dist import is_main_process, master_only
from mmengine.hooks import Hook
from mmengine.model import is_model_wrapper
from mmengine.visualization import LocalVisBackend

from ...errors import InputError
from ...results.analysis.coefficients import TABLE, find_coefficients, read_table, write_table
from ...results.analysis.curves import draw, measure
from ...results.analysis.run_log import COMMAND, LOGS
from ...utils.files import write_file
from ...utils.messages import in_one_line
from ..sharding import whole

PICTURE = 'curves.png'
PAUSE = 60  # seconds from one picture to the next while a run goes on


@contextmanager
def told_when_stopped(runner) -> Iterator[None]:
    """Tell hooks that have an ``after_stop`` which signal or error ends a run."""
    try:
        yield
    except BaseException as error:
        for hook in runner.hooks:
            if hasattr(hook, 'after_stop'):
                hook.after_stop(runner, in_one_line(error))
        raise


class CurvesHook(Hook):
    """Draws the curves, on the main process only."""

    priority = 'VERY_LOW'  # after the log is written

    def __init__(self) -> None:
        self.last_drawn = math.inf  # in seconds; outside of a training nothing is drawn

    @master_only
    def before_train(self, runner) -> None:
        """Let mmengine write the log that the curves are read from, where it does not."""
        self.last_drawn = time.monotonic()
        runner.logger.info(f'{COMMAND}{shlex.join(sys.argv)}')  # for the page of the run
        backends = runner.visualizer._vis_backends
        if not any(isinstance(backend, LocalVisBackend) for backend in backends.values()):
            backends['LocalVisBackend'] = LocalVisBackend(str(Path(runner.log_dir, 'vis_data')))

    @master_only
    def after_val_epoch(self, runner, metrics=None) -> None:
        if time.monotonic() - self.last_drawn > PAUSE:
            self.draw(runner)

    @master_only
    def after_train(self, runner) -> None:
        self.draw(runner)

    def after_stop(self, runner, reason: str) -> None:
        """Draw the curves also where the run does not come to its end."""
        if any(Path(runner.work_dir).glob(LOGS)):
            self.draw(runner)

    @master_only
    def draw(self, runner) -> None:
        """Write the picture, or a warning."""
        self.last_drawn = time.monotonic()
        folder = Path(runner.work_dir)
        try:
            figure = draw([{'model': folder.name, **row} for row in measure(folder)])
            content = BytesIO()
            figure.savefig(content, format='png')
            write_file(folder / PICTURE, content.getvalue())
        except Exception as error:  # whatever it is, the run is worth more than its picture
            runner.logger.warning(f'{PICTURE} of this run is not drawn: {in_one_line(error)}')


class CoefficientsHook(Hook):
    """Writes the table where a model has such coefficients; does nothing for other models."""

    def __init__(self) -> None:
        self.rows: list[dict[str, float]] = []
        self.is_wanted = False

    def before_train(self, runner) -> None:
        """Go on with the epochs before the present one, which a resumed run has written."""
        self.is_wanted = bool(_coefficients_of(runner))
        if not self.is_wanted:
            return
        table = Path(runner.work_dir, TABLE)
        if runner.iter and table.is_file():
            self.rows = [row for row in read_table(table) if row['iteration'] <= runner.iter]
        elif not runner.iter:
            self._note(runner, 0)

    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None) -> None:
        done = runner.iter + 1
        # asked first, because a stream of data has no length
        if self.is_wanted and done % len(runner.train_dataloader) == 0:
            self._note(runner, done)

    def _note(self, runner, iteration: int) -> None:
        found = _coefficients_of(runner)
        if not is_main_process():
            return
        place = {'epoch': iteration // len(runner.train_dataloader), 'iteration': iteration}
        self.rows.append(place | found)
        scalars = {f'coefficients/{name}': value for name, value in found.items()}
        runner.visualizer.add_scalars(scalars, step=iteration)
        try:
            write_file(Path(runner.work_dir, TABLE), write_table(self.rows))
        except InputError as error:  # a full disk; checkpoints decide whether the run can go on
            runner.logger.warning(str(error))


def _coefficients_of(runner) -> dict[str, float]:
    model = runner.model.module if is_model_wrapper(runner.model) else runner.model
    named = [each for each in model.named_parameters() if each[1].numel() == 1]
    return find_coefficients((name, whole(parameter)) for name, parameter in named)
