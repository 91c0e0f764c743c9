"""Curves of a run in its work dir.

``curves.png`` has losses, learning rates and metrics. It is drawn at the end of a run, however it
ends, and after an evaluation if the last picture is a minute old. A resumed run shows all of its
starts as one.
"""

import math
import shlex
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from mmengine.dist import master_only
from mmengine.hooks import Hook
from mmengine.visualization import LocalVisBackend

from ...analysis.curves import draw, measure
from ...analysis.run_log import COMMAND, LOGS
from ...utils import started
from ...utils.files import write_file
from ...utils.messages import in_one_line
from ...utils.run_files import STEP
from ..find_checkpoint import best_checkpoints

PICTURE = 'curves.png'
PAUSE = 60  # seconds from one picture to the next while a run goes on


@contextmanager
def told_when_stopped(runner) -> Iterator[None]:
    """Call the ``after_stop`` of each hook with the signal or error that ends a run."""
    try:
        yield
    except BaseException as error:
        for hook in runner.hooks:
            if hasattr(hook, 'after_stop'):
                hook.after_stop(runner, in_one_line(error))
        raise


class CurvesHook(Hook):
    """Plots the curves, only on the main process."""

    priority = 'VERY_LOW'  # after the log is written

    def __init__(self) -> None:
        self.last_drawn = math.inf  # in seconds; outside of a training nothing is drawn

    @master_only
    def before_train(self, runner) -> None:
        """Let mmengine write the log that the curves are read from, where it does not."""
        self.last_drawn = time.monotonic()
        runner.logger.info(f'{COMMAND}{shlex.join(started.words())}')  # for the page of the run
        backends = runner.visualizer._vis_backends
        if not any(isinstance(backend, LocalVisBackend) for backend in backends.values()):
            backends['LocalVisBackend'] = LocalVisBackend(str(Path(runner.log_dir, 'vis_data')))

    def after_val_epoch(self, runner, metrics=None) -> None:
        if time.monotonic() - self.last_drawn > PAUSE:
            self.draw(runner)

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
            best = next((STEP.search(file.name) for file in best_checkpoints(folder)), None)
            rows = [{'model': folder.name, **row} for row in measure(folder)]
            figure = draw(rows, int(best[2]) if best else None)
            content = BytesIO()
            figure.savefig(content, format='png')
            write_file(folder / PICTURE, content.getvalue())
        except Exception as error:  # whatever it is, the run is worth more than its picture
            runner.logger.warning(f'{PICTURE} of this run cannot be plotted: {in_one_line(error)}')
