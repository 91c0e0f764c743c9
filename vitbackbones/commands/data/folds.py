"""Models, each trained on a part of the pictures and asked about another part."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import BinaryIO

from ...analysis.run_log import records, value_after
from ...configuration.data_paths import evaluators
from ...configuration.length import ENDLESS
from ...configuration.names import find_config, resolve
from ...configuration.read import read_config
from ...configuration.settings import as_list, value_at
from ...errors import InputError, printable
from ...registry import bare_name
from ...training.find_checkpoint import latest_checkpoint
from ...utils.started import PART

TRAIN = [sys.executable, '-m', 'vitbackbones', 'train']
PROBE, WARM = 30, 10  # steps that are timed, and of those the first, which are not
LEAST, MOST = 100, 2000  # steps of a training of a quick config
PAUSE = 60  # seconds between two words on how long a training still takes


@dataclass(frozen=True)
class Quick:
    """A config, and what makes its validation write what was found on each picture.

    Attributes:
        config: its name.
        metric: of which ``least`` is reached, unless next to nothing was learned, and ``good``
            where the models know enough to find no fault.
        asked: settings.
        file: the setting that names the file, to which ``suffix`` is added.
        unit: of the length of a training, ``'steps'`` or ``'epochs'``.
        most: steps of a training.
    """

    config: str
    metric: str
    least: float
    good: float
    asked: tuple[str, ...]
    file: str
    suffix: str

    unit: str = 'steps'
    most: int = MOST

    @property
    def draws(self) -> bool:
        """Whether outlines of objects are among what is found."""
        return self.suffix == '.segm.json'

    def found(self, folder: Path) -> Path:
        """Return the file of what was found on the validation pictures of a folder."""
        return run_of(folder) / f'found{self.suffix}'

    def train(
        self, folder: Path, length: int, say: Callable[[], None] = lambda: None
    ) -> float | None:
        """Train on a folder, or go on, and return the metric; None where nothing was found.

        Args:
            folder: with images for training and validation.
            length: after which the training is over, in its ``unit``.
            say: called when a training starts, and each minute until it is over.

        Raises:
            InputError: it cannot be trained on.
        """
        run = run_of(folder)
        if value_after(run, self.metric, length) is None:
            found = f'{self.file}={run / "found"}'
            self._run(folder, run, length, length, found, *self.asked, say=say)
        return value_after(run, self.metric, length)

    def steps_in(self, folder: Path, seconds: float, length: int = PROBE) -> int:
        """Return how many steps of a training on a folder take so long, from a few of them."""
        run = folder.with_name('probe')
        log = run.with_suffix('.log')
        try:
            with log.open('wb') as file:  # which says nothing unless it fails
                # the last step of an epoch is logged too: it tells how many an epoch has
                keys = ('interval=5', 'ignore_last=False')
                shown = [f'default_hooks.logger.{key}' for key in keys]
                self._run(folder, run, length, 2 * length, *shown, log=file)
        except InputError:
            print(printable(log.read_text(errors='replace')), file=sys.stderr)
            raise
        return min(max(int(seconds / self.step_time(folder)), LEAST), self.most)

    def step_time(self, folder: Path) -> float:
        """Return the seconds of a step, as :meth:`steps_in` has measured them."""
        logged = records(folder.with_name('probe'))
        return median(each['time'] for each in logged if each['step'] > WARM and 'time' in each)

    def _words(self, length: int, evaluated: int) -> list[str]:
        """Return options for a training of this length that is evaluated once, if it gets there."""
        return [
            '--cfg-options',
            f'train_cfg.max_iters={length}',
            f'param_scheduler.1.end={max(length, LEAST)}',
            f'train_cfg.val_interval={evaluated}',
            f'default_hooks.checkpoint.interval={max(length // 8, 1)}',
        ]

    def _run(
        self,
        folder: Path,
        run: Path,
        length: int,
        evaluated: int,
        *settings: str,
        log: BinaryIO | None = None,
        say: Callable[[], None] = lambda: None,
    ) -> None:
        command = [*TRAIN, self.config, '--data-root', str(folder), '--work-dir', str(run)]
        command += ['--resume'] if latest_checkpoint(run) else []
        command += [*self._words(length, evaluated), *settings]
        process = subprocess.Popen(
            command, stdout=log, stderr=log and subprocess.STDOUT, env={**os.environ, PART: '1'}
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


@dataclass(frozen=True)
class Given(Quick):
    """Any other config, whose whole schedule is scaled.

    Attributes:
        batch: images in a step.
    """

    batch: int = 1
    most: int = ENDLESS

    def _words(self, length: int, evaluated: int) -> list[str]:
        by_epoch = self.unit == 'epochs'
        return [
            *(f'--{self.unit}', str(length), '--cfg-options'),
            f'train_cfg.val_interval={evaluated}',
            f'default_hooks.logger.log_metric_by_epoch={by_epoch}',
        ]


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
# options of metrics that rename or leave out what an audit reads, and what it sets instead
RESET = {'prefix': 'None', 'metric_items': 'None', 'iou_metrics': 'mIoU'}


def of_config(given: str, has_boxes: bool) -> Quick:
    """Return what is trained with ``--config``, for a folder of boxes or of masks.

    Raises:
        InputError: it is not for such a folder.
    """
    config = read_config(given)
    scope, name = ('mmdet', 'CocoMetric') if has_boxes else ('mmseg', 'IoUMetric')
    found = [
        (path, metric)
        for path, metric in evaluators(config, ('val',))
        if bare_name(metric.get('type')) == name and config.get('default_scope') == scope
    ]
    if not found:
        needed = 'a detector' if has_boxes else 'a segmentor'
        raise InputError(
            f'--config {given}: the folder contains {"boxes" if has_boxes else "masks"}, so the '
            f'audit needs {needed} of {scope} with {name} in its val_evaluator'
        )
    for row in (DETECTOR, INSTANCE, SEGMENTOR):
        if Path(config.filename).absolute() == find_config(row.config):
            return row
    path, metric = found[0]
    kinds = as_list(metric.get('metric') or 'bbox')
    row = SEGMENTOR
    if has_boxes:
        row = replace(INSTANCE if 'segm' in kinds else DETECTOR, asked=())
        if 'bbox' not in kinds:
            row = replace(row, metric='coco/segm_mAP_50')
    reset = [f'{path}.{key}={value}' for key, value in RESET.items() if metric.get(key)]
    own = {
        'config': str(resolve(given)) if resolve(given).is_file() else given,
        'asked': (*(each.replace('val_evaluator', path) for each in row.asked), *reset),
        'file': row.file.replace('val_evaluator', path),
        'unit': 'epochs' if value_at(config, 'train_cfg.max_epochs') else 'steps',
        'batch': value_at(config, 'train_dataloader.batch_size') or 1,
    }
    return Given(**{**vars(row), 'most': Given.most, **own})
