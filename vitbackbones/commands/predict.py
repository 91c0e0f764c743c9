"""``vitbackbones predict``: run a model on images, folders and videos, and write what it answers.

Nothing that was answered is lost: it is on the disk before the next batch begins, and ``--resume``
goes on behind it. One file that cannot be read, prepared or answered costs that file only.
"""

import sys
import zlib
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

from mmengine.config import Config
from tqdm import tqdm

from ..catalog import config_name
from ..configuration.lint import lint
from ..configuration.read import read_config, require_sections
from ..datasets.load_image import UnreadableImage
from ..errors import InputError
from ..files import LOCK, folder_lock, prepare_folder
from ..inference.journal import Journal
from ..inference.predictor import Predictor, choose_device
from ..inference.sources import SUFFIXES, Frame, Source, count_frames, find_sources, read_frames
from ..inference.writers import PictureWriter, PredictionWriter
from ..openmmlab.unused_toolboxes import leave_out_unused
from ..preflight.agreement import require_agreement
from ..preflight.explain import explained
from ..preflight.own_data import take_classes_of
from ..tasks import TASKS, find_task
from ..trained import trained_weights
from ..training.allocation import keep_freed_memory
from ..training.cores import share_cores
from ..training.find_checkpoint import find_checkpoint
from ..training.hooks.progress import on_terminal
from ..training.hooks.unreadable_images import ATTEMPTS, in_words
from .cli import SHARED, add_shared, count

ANSWERED_BY = ('default_scope', 'model', 'data_preprocessor', 'test_dataloader')  # of a config


EXAMPLES = """\
examples:
  %(prog)s detr_aug_vit_s_shapes photo.jpg --out out  # weights that come with the package
  %(prog)s detr_aug_vit_s_shapes work_dirs/detr_aug_vit_s_shapes photos --out out
  %(prog)s quick_detector work_dirs/quick_detector photo.jpg film.mp4 --out out --amp

Out come out/predictions.json, out/pictures and, for segmentation, index masks in out/masks; the
segments of a panoptic model are in out/panoptic.json and out/panoptic. A file that fails is named,
the others are done, and the exit status is 2. What is answered is at once in out/predictions.jsonl,
a line for each image, and predictions.json is made of it at the end, also after Ctrl-C, SIGTERM or
SIGHUP. Whatever stopped it, the same command goes on with --resume.
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add_shared(add, 'config')
    weights = 'a file of weights, or the work dir for the latest; not needed if weights come along'
    add('checkpoint', metavar='CHECKPOINT', help=weights)
    add('inputs', nargs='*', metavar='INPUT', help='images, folders, videos')
    add('--out', required=True, metavar='DIR', help='where results go; must be empty or new')
    used = parser.add_mutually_exclusive_group()
    go_on = 'continue the prediction in DIR, with the same model, settings and inputs'
    used.add_argument('--resume', action='store_true', help=go_on)
    replace = 'start from the beginning although DIR is not empty'
    used.add_argument('--overwrite', action='store_true', help=replace)
    add_shared(add, '--device')
    faster = parser.add_mutually_exclusive_group()
    faster.add_argument('--amp', action='store_true', help='compute in half precision')
    add_shared(faster.add_argument, '--fused')
    add('--batch-size', type=count, default=1, metavar='N', help='images at a time (default: 1)')
    add('--score-threshold', '--score-thr', **SHARED['--score-threshold'])  # its earlier name
    masks = 'form of the masks in predictions.json (default: rle)'
    add('--masks', choices=['rle', 'polygons'], default='rle', help=masks)
    add_shared(add, '--cfg-options')


def predict(options: Namespace) -> None:
    """Do what ``vitbackbones predict --help`` describes.

    Raises:
        InputError: something of the user's is wrong; before anything is computed where possible,
            and at the end if a file failed.
        KeyboardInterrupt: Ctrl-C, or another signal that ends a tool; what was answered is written.
    """
    config = read_config(options.config, options.cfg_options)
    leave_out_unused(config)
    require_sections(config, 'model', 'test_dataloader')
    task = find_task(config)
    if task is None:
        known = ', '.join(TASKS)
        raise InputError(f'{config.filename}: default_scope must be one of {known}')
    lint(config, options.cfg_options)
    require_agreement(config)
    device = choose_device(options.device)
    checkpoint, inputs = _find_weights(config, options)
    config = take_classes_of(config, checkpoint)
    out = prepare_folder(options.out, '--out')
    with folder_lock(out, '--out'):
        _require_ready(out, options)
        sources = find_sources(inputs, out)
        share_cores(Config())  # nothing else wants them
        keep_freed_memory()
        with explained(config):
            predictor = Predictor(config, checkpoint, device, options.amp, options.fused)
        writer = task.writer(out, predictor.meta, options.score_threshold, options.masks)
        journal = Journal(out, _settings(config, checkpoint, options, sources), options.resume)
        run = _Run(predictor, writer, journal, options.batch_size)
        names = run.all(sources)
    done = len(sources) - len(run.failed)
    print(f'{done} of {len(sources)} files: {", ".join(names)} and pictures in {out}')
    if run.failed:
        raise InputError(f'{len(run.failed)} of {len(sources)} files failed, see above')


def _find_weights(config: Config, options: Namespace) -> tuple[Path, list[str]]:
    """Return the checkpoint and the inputs; without one, weights that come with the package.

    Raises:
        InputError: there is no such checkpoint, or none is given and none comes along.
    """
    first, *others = options.checkpoint, *options.inputs
    if others and Path(first).suffix.lower() not in SUFFIXES:
        return find_checkpoint(first, 'CHECKPOINT'), others
    name, trained = config_name(config.filename), trained_weights()
    if name not in trained:
        raise InputError(
            f'{name}: no trained weights of it come with the package (of {", ".join(trained)} '
            'they do). Give CHECKPOINT before the inputs: the work dir of a training, a file, or '
            'the name of a published detector.'
        )
    return trained[name], [first, *others]


def _require_ready(out: Path, options: Namespace) -> None:
    used = any(file.name != LOCK for file in out.iterdir())
    if used and not options.resume and not options.overwrite:
        raise InputError(
            f'--out {out}: is not empty. Choose another folder, --resume to continue the '
            'prediction there, or --overwrite, which starts anew and replaces predictions.json '
            'and the pictures of the same names.'
        )


def _settings(
    config: Config, checkpoint: Path, options: Namespace, sources: Sequence[Source]
) -> dict:
    """Return what the answers and the names of their files depend on."""
    parts = repr([config.get(key) for key in ANSWERED_BY]).encode()
    weights = 0
    with open(checkpoint, 'rb') as file:  # no mmap: Python crashes if the file is cut short
        for part in iter(partial(file.read, 2**20), b''):
            weights = zlib.crc32(part, weights)
    return {
        'CONFIG': f'{Path(config.filename).name} ({zlib.crc32(parts):08x})',
        'CHECKPOINT': f'{checkpoint.name} ({weights:08x})',
        'the folder of the inputs': str(sources[0].path).removesuffix(sources[0].name),
        '--score-threshold': options.score_threshold,
        '--masks': options.masks,
        '--batch-size': options.batch_size,
        '--amp': options.amp,
        '--fused': options.fused,
    }


class _Run:
    """Frames one after another in batches of one size, each answered as soon as it is full.

    Attributes:
        failed: names of the files of which something could not be answered.
    """

    def __init__(
        self, predictor: Predictor, writer: PredictionWriter, journal: Journal, batch_size: int
    ) -> None:
        self.predictor = predictor
        self.writer = writer
        self.journal = journal
        self.batch_size = batch_size
        self.pictures = PictureWriter(writer.out / 'pictures')
        self.waiting: list[tuple[Frame, dict]] = []
        self.failed: set[str] = set()
        self.in_a_row = {'pipeline': 0, 'model': 0}  # failures that no file explains

    def all(self, sources: Sequence[Source]) -> list[str]:
        """Go through the files that are not answered yet; write the JSON files in any case.

        Returns:
            The names of the JSON files.
        """
        names = [source.name for source in sources]
        done = len(self.journal.answered & set(names))
        if done:
            print(f'{done} of {len(sources)} files were answered before')
        try:
            with closing(self.pictures):
                self._go_through(sources)
        except BaseException:
            hint = 'continue with the same command and --resume, without --overwrite'
            print(f'stopped; {hint}', file=sys.stderr)
            with suppress(InputError):  # a full disk: the first error says so
                self.writer.write(self.journal.read(names))
            raise
        return self.writer.write(self.journal.read(names))

    def _go_through(self, sources: Sequence[Source]) -> None:
        answered = self.journal.answered
        total = sum(count_frames(source) for source in sources if source.name not in answered)
        options = {'leave': False, 'file': sys.stdout, 'disable': not on_terminal()}
        with tqdm(desc='predict', total=total, **options) as self.bar:
            for source in sources:
                if source.name in answered:
                    self.flush()  # a batch has neighbors only, as in a run that was not stopped
                elif source.is_video:
                    self.video(source)
                else:
                    self.frames(source)
            self.flush()

    def video(self, source: Source) -> None:
        """Go through the frames; no batch has frames and other files."""
        self.flush()
        number = self.frames(source)
        self.flush()
        if source.name not in self.failed:
            self.journal.end_video(source.name, number)

    def frames(self, source: Source) -> int:
        """Go through a file, as far as it can be read, and return the number of its frames."""
        number = 0
        try:
            for frame in read_frames(source):
                self.add(frame)
                self.bar.update()
                number += 1
        except UnreadableImage as error:
            self.fail([source], str(error))
        return number

    def add(self, frame: Frame) -> None:
        """Prepare a frame. A batch that is full, or of another size, is answered."""
        try:
            sample = self.predictor.prepare(frame)
        except UnreadableImage:
            raise
        except Exception as error:  # whatever its steps raise
            self.fail_in('pipeline', [frame], error)
            return
        self.in_a_row['pipeline'] = 0
        if self.waiting and self.waiting[0][1]['inputs'].shape != sample['inputs'].shape:
            self.flush()
        self.waiting.append((frame, sample))
        if len(self.waiting) == self.batch_size:
            self.flush()

    def flush(self) -> None:
        """Predict what is on the frames that wait, and write it."""
        waiting, self.waiting = self.waiting, []
        if not waiting:
            return
        batch = [frame for frame, _ in waiting]
        try:
            found = self.predictor([sample for _, sample in waiting])
        except Exception as error:  # such as memory that is too small for one large image
            self.fail_in('model', batch, error)
            return
        self.in_a_row['model'] = 0
        records = []
        for frame, sample in zip(batch, found, strict=True):
            record, picture = self.writer.read(frame, sample)
            self.pictures.add(frame, picture)
            records.append(record)
        self.journal.add(records)

    def fail(self, sources: Sequence[Source], text: str) -> None:
        """Note files as failed, and say why."""
        self.failed |= {source.name for source in sources}
        self.bar.write(f'error: {text}', file=sys.stderr)

    def fail_in(self, part: str, batch: Sequence[Frame], error: Exception) -> None:
        """Note that the pipeline or the model, ``part``, raised ``error`` on a batch.

        Raises:
            Exception: ``error``, the last of ``ATTEMPTS`` in a row: it is not the files' fault.
        """
        self.in_a_row[part] += 1
        if self.in_a_row[part] == ATTEMPTS:
            raise error
        names = ', '.join(map(str, batch))
        self.fail([frame.source for frame in batch], f'{names}: {in_words(error, part)}')
