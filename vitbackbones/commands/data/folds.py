"""Quick models, each trained on a part of the pictures and asked about another part."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import BinaryIO

from ...analysis.run_log import records, value_after
from ...errors import InputError, printable
from ...running.overfit import SILENT
from ...training.find_checkpoint import latest_checkpoint

TRAIN = [sys.executable, '-m', 'vitbackbones', 'train']
PROBE, WARM = 30, 10  # steps that are timed, and of those the first, which are not
LEAST, MOST = 100, 2000  # steps of a training
PAUSE = 60  # seconds between two words on how long a training still takes


@dataclass(frozen=True)
class Quick:
    """A quick config, and what makes its validation write what was found on each picture.

    Attributes:
        config: its name.
        metric: of which ``least`` is reached, unless next to nothing was learned, and ``good``
            where the models know enough to find no fault.
        asked: settings.
        file: the setting that names the file, to which ``suffix`` is added.
    """

    config: str
    metric: str
    least: float
    good: float
    asked: tuple[str, ...]
    file: str
    suffix: str

    def found(self, folder: Path) -> Path:
        """Return the file of what was found on the validation pictures of a folder."""
        return run_of(folder) / f'found{self.suffix}'

    def train(
        self, folder: Path, steps: int, say: Callable[[], None] = lambda: None
    ) -> float | None:
        """Train on a folder, or go on, and return the metric; None where nothing was found.

        Args:
            folder: with images for training and validation.
            steps: after which the training is over.
            say: called when a training starts, and each minute until it is over.

        Raises:
            InputError: it cannot be trained on.
        """
        run = run_of(folder)
        if value_after(run, self.metric, steps) is None:
            found = f'{self.file}={run / "found"}'
            self._run(folder, run, steps, steps, found, *self.asked, say=say)
        return value_after(run, self.metric, steps)

    def steps_in(self, folder: Path, seconds: float) -> int:
        """Return how many steps of a training on a folder take so long, from a few of them."""
        run = folder.with_name('probe')
        log = run.with_suffix('.log')
        try:
            with log.open('wb') as file:  # which says nothing unless it fails
                interval = 'default_hooks.logger.interval=5'
                self._run(folder, run, PROBE, 2 * PROBE, interval, log=file)
        except InputError:
            print(printable(log.read_text(errors='replace')), file=sys.stderr)
            raise
        return min(max(int(seconds / self.step_time(folder)), LEAST), MOST)

    def step_time(self, folder: Path) -> float:
        """Return the seconds of a step, as :meth:`steps_in` has measured them."""
        logged = records(folder.with_name('probe'))
        return median(each['time'] for each in logged if each['step'] > WARM and 'time' in each)

    def _run(
        self,
        folder: Path,
        run: Path,
        steps: int,
        evaluated: int,
        *settings: str,
        log: BinaryIO | None = None,
        say: Callable[[], None] = lambda: None,
    ) -> None:
        command = [*TRAIN, self.config, '--data-root', str(folder), '--work-dir', str(run)]
        command += ['--resume'] if latest_checkpoint(run) else []
        length = [f'train_cfg.max_iters={steps}', f'param_scheduler.1.end={max(steps, LEAST)}']
        saved = f'default_hooks.checkpoint.interval={max(steps // 8, 1)}'
        command += ['--cfg-options', *length, f'train_cfg.val_interval={evaluated}', saved]
        command += settings
        process = subprocess.Popen(
            command, stdout=log, stderr=log and subprocess.STDOUT, env={**os.environ, SILENT: '1'}
        )
        try:
            failed = wait(process, say)
        except BaseException:
            process.terminate()  # it saves a checkpoint
            process.wait()
            print('stopped; continue with the same command', file=sys.stderr)
            raise
        if failed:
            raise InputError(f'{folder}: cannot be trained on; the output above shows why')


def wait(process: subprocess.Popen, say: Callable[[], None]) -> int:
    """Return the exit status of a process; call ``say`` now and each minute until it ends."""
    while True:
        say()
        try:
            return process.wait(PAUSE)
        except subprocess.TimeoutExpired:
            continue


def run_of(folder: Path) -> Path:
    """Return the work dir of a folder, beside it: what a run draws is no data."""
    return folder.with_name(f'{folder.name}_run')


DETECTOR = Quick(
    config='quick_detector',
    metric='coco/bbox_mAP_50',
    least=0.05,
    good=0.5,
    asked=('model.test_cfg.score_thr=0.05',),
    file='val_evaluator.outfile_prefix',
    suffix='.bbox.json',
)
INSTANCE = replace(DETECTOR, config='quick_instance', suffix='.segm.json')
SEGMENTOR = Quick(
    config='quick_segmentor',
    metric='mIoU',
    least=5,
    good=20,
    asked=('val_evaluator.type=vitbackbones.DoubtfulRegions',),
    file='val_evaluator.found',
    suffix='.json',
)
