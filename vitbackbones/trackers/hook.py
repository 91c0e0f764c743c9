"""Logs a run to trackers, in addition to its local log; ``tracking.json`` has its id there."""

import json
import os
import re
import secrets
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from mmengine.dist import master_only
from mmengine.hooks import Hook
from mmengine.model import is_model_wrapper
from mmengine.runner import EpochBasedTrainLoop, Runner

from ..errors import InputError
from ..reports.page import made_by, photograph
from ..tasks import find_task
from ..training.sharding import is_sharded
from ..utils.files import write_file
from ..utils.messages import in_one_line
from . import RUN_PAGE
from .backends import TRACKERS
from .run_page import PICTURES, RECORD, pictures_of, read_record, write_run_page


class TrackHook(Hook):
    """Logs a run to trackers, only on the first process; its errors never end the run.

    Args:
        trackers: names in :data:`~vitbackbones.trackers.backends.TRACKERS`, beside the
            page.
        pictures: images whose predictions are drawn at each evaluation, the same ones each time,
            with the averaged weights where these are evaluated.
        score_threshold: detections of a lower score are left out.

    Raises:
        InputError: another name of a tracker.
    """

    priority = 'ABOVE_NORMAL'  # before an average of the weights is taken out again

    def __init__(
        self, trackers: Sequence[str] = (), pictures: int = 4, score_threshold: float = 0.3
    ) -> None:
        if unknown := {*trackers} - {*TRACKERS}:
            raise InputError(f'TrackHook: {unknown} unknown; use some of {", ".join(TRACKERS)}')
        self.names = trackers
        self.pictures = pictures
        self.score_threshold = score_threshold
        self.trackers = []  # empty outside of a training, as is the record
        self.record = {}

    @master_only
    def before_train(self, runner: Runner) -> None:
        """Start the trackers now that it is known where the run goes on.

        It is the same run there if it was followed in this very work dir.
        """
        place = os.path.realpath(runner.work_dir)
        earlier = read_record(Path(place)) if runner.iter else {}
        run = earlier.get('run', '')
        of = earlier.get('work_dir', 'no run')
        if of != place or not re.fullmatch('[0-9a-f]{16}', run):
            run = secrets.token_hex(8)
            if runner.iter:
                said = f'{RECORD} belongs to {of}, but this is {place}'
                runner.logger.info(f'{said}: the trackers start a new run')
        if not runner.iter:
            for file in pictures_of(Path(place)):  # of an earlier run
                file.unlink()
        config = runner.cfg.pretty_text
        self.record = {'run': run, 'work_dir': place, **made_by(), 'config': config}
        self.trackers = [TRACKERS[name](runner, run) for name in self.names]
        runner.visualizer._vis_backends |= zip(self.names, self.trackers, strict=True)
        self._write(runner, 'running')

    def after_val_epoch(self, runner: Runner, metrics: dict | None = None) -> None:
        if not (self.record and self.pictures):
            return
        try:
            if is_sharded(runner.model):
                raise ValueError('--fsdp: this process has only a part of the weights')
            by_epoch = isinstance(runner.train_loop, EpochBasedTrainLoop)
            place = f'epoch_{runner.epoch}' if by_epoch else f'iter_{runner.iter}'
            model = runner.model.module if is_model_wrapper(runner.model) else runner.model
            draw = find_task(runner.cfg).draw
            with torch.compiler.set_stance('force_eager'):  # a few images are not worth compiling
                for name, picture in draw(
                    model, runner.val_dataloader.dataset, self.pictures, self.score_threshold
                ):
                    file = Path(runner.work_dir, PICTURES, place, f'{name}.jpg')
                    write_file(file, photograph(picture, name).content)
                    for tracker in self.trackers:
                        tracker.add_image(f'{PICTURES}/{name}', np.asarray(picture.convert('RGB')))
        except Exception as error:
            self.pictures = 0
            runner.logger.warning(
                f'predictions of this run cannot be visualized: {in_one_line(error)}'
            )

    def after_val(self, runner: Runner) -> None:
        self._write(runner, 'running')

    def after_train(self, runner: Runner) -> None:
        self.after_stop(runner)

    def after_stop(self, runner: Runner, reason: str = '') -> None:
        """Act on the end of a run, for a reason if it comes too early."""
        self._write(runner, f'stopped: {reason}' if reason else 'finished')
        for tracker in self.trackers:
            tracker.close(failed=bool(reason))

    def _write(self, runner: Runner, status: str) -> None:
        if not self.record:
            return
        work_dir = Path(runner.work_dir)
        self.record['status'] = status
        try:
            write_file(work_dir / RECORD, json.dumps(self.record, indent=1).encode())
            if runner.iter:
                write_run_page(work_dir, work_dir / RUN_PAGE)
        except Exception as error:
            runner.logger.warning(f'{RUN_PAGE} of this run cannot be written: {in_one_line(error)}')
