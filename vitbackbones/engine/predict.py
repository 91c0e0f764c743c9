"""``tools/predict.py``: run a model on images, folders and videos, and write what it answers."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from mmengine.config import Config
from tqdm import tqdm

from ..errors import InputError
from .answers import TASKS, Answers, Gallery
from .config import read_config
from .lint import lint
from .predictor import Predictor, choose_device
from .progress import on_terminal
from .resuming import find_checkpoint
from .run import require_sections
from .sources import Shot, Source, count_shots, find_sources, shots
from .threads import share_cores
from .work_dir import prepare_folder


def predict(options: Namespace) -> None:
    """Do what ``tools/predict.py --help`` describes.

    Raises:
        InputError: something of the user's is wrong; before anything is computed where possible,
            and at the end if a file could not be read.
    """
    config = read_config(options.config, options.cfg_options)
    require_sections(config, 'model', 'test_dataloader')
    if config.get('default_scope') not in TASKS:
        known = ', '.join(TASKS)
        raise InputError(f'{config.filename}: default_scope is none of {known}')
    lint(config, options.cfg_options)
    device = choose_device(options.device)
    checkpoint = find_checkpoint(options.checkpoint, 'CHECKPOINT')
    out = _prepare_out(options.out, options.overwrite)
    sources = find_sources(options.inputs, out)
    share_cores(Config())  # nothing else wants them
    predictor = Predictor(config, checkpoint, device, options.amp)
    answers = TASKS[config.default_scope](out, predictor.meta, options.score_thr)
    failed = _Run(predictor, answers, options.batch_size).all(sources)
    print(f'{len(sources) - failed} of {len(sources)} files: {out}/predictions.json and pictures')
    if failed:
        raise InputError(f'{failed} of {len(sources)} files could not be read, see above')


def _prepare_out(path: str, overwrite: bool) -> Path:
    out = prepare_folder(path, '--out')
    if not overwrite and any(out.iterdir()):
        raise InputError(
            f'--out {out}: is not empty. Choose another folder, or --overwrite, which replaces '
            'predictions.json and the pictures of the same names.'
        )
    return out


class _Run:
    """Shots one after another in batches of one size, each answered as soon as it is full."""

    def __init__(self, predictor: Predictor, answers: Answers, batch_size: int) -> None:
        self.predictor = predictor
        self.answers = answers
        self.batch_size = batch_size
        self.gallery = Gallery(answers.out / 'pictures')
        self.waiting: list[tuple[Shot, dict]] = []

    def all(self, sources: Sequence[Source]) -> int:
        """Go through all files, and return how many could not be read.

        What was answered is written in any case, also after Ctrl-C.
        """
        options = {'total': sum(map(count_shots, sources)), 'disable': not on_terminal()}
        try:
            with tqdm(desc='predict', leave=False, file=sys.stdout, **options) as bar:
                failed = sum(not self.one(source, bar) for source in sources)
            self.flush()
            return failed
        finally:
            self.gallery.close()
            self.answers.write()

    def one(self, source: Source, bar: tqdm) -> bool:
        """Go through a file, and return whether all of it could be read."""
        try:
            for shot in shots(source):
                self.add(shot)
                bar.update()
        except InputError as error:
            bar.write(f'error: {error}', file=sys.stderr)
            return False
        return True

    def add(self, shot: Shot) -> None:
        sample = self.predictor.prepare(shot)
        if self.waiting and self.waiting[0][1]['inputs'].shape != sample['inputs'].shape:
            self.flush()
        self.waiting.append((shot, sample))
        if len(self.waiting) == self.batch_size:
            self.flush()

    def flush(self) -> None:
        waiting, self.waiting = self.waiting, []
        if not waiting:
            return
        found = self.predictor([sample for _, sample in waiting])
        for (shot, _), answer in zip(waiting, found, strict=True):
            self.gallery.add(shot, self.answers.add(shot, answer))
