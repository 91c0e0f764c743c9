"""TensorBoard: event files in ``WORK_DIR/tensorboard``.

mmengine's backend writes them into a new folder at each start and numbers evaluations by epochs,
losses by iterations. Here all starts share a folder, everything is numbered by iterations, and a
start hides what an earlier one has written beyond its own beginning.
"""

import numpy as np

from ..packages import import_optional
from .tracker import Start, Tracker

FOLDER = 'tensorboard'
CODE = '    '  # before a line that Markdown shows as it is


class TensorBoard(Tracker):
    """Writes event files; ``tensorboard --logdir work_dirs`` shows them."""

    forgets = True

    @staticmethod
    def require() -> None:
        import_optional('tensorboard', 'tensorboard')

    def start(self, start: Start) -> dict:
        from torch.utils.tensorboard import SummaryWriter  # of an optional package

        folder = start.work_dir / FOLDER
        self.begun_at = start.iteration if start.known else -1
        # a run that begins hides all of an earlier one; a resumed one, what comes again
        first = start.iteration + 1 if start.iteration else 0
        self.writer = SummaryWriter(str(folder), purge_step=first)
        lines = [f'{CODE}{line}' for line in start.config.splitlines()]
        self.writer.add_text('config', '\n'.join(lines), start.iteration)
        return {'place': str(folder)}

    def last(self) -> int:
        return self.begun_at  # what it was given was written at once

    def log(self, values: dict[str, float], iteration: int) -> None:
        for name, value in values.items():
            self.writer.add_scalar(name, value, iteration)
        self.writer.flush()  # a kill would take what waits

    def show(self, name: str, pixels: np.ndarray, iteration: int) -> None:
        self.writer.add_image(name, pixels, iteration, dataformats='HWC')
        self.writer.flush()

    def finish(self, failed: bool) -> None:
        self.writer.close()
