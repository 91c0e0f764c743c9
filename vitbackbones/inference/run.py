"""Predict all files, with any kind of model.

While the model answers a batch, one thread reads the next and another writes the last: three
batches are in memory at most, four if the model computes several pictures at a time. All stages see
them in the same order.

Nothing that was written is lost, and what was answered is written before the run ends, whatever
ends it; a run that is resumed goes on behind it. One file that cannot be read, prepared or answered
costs that file only.

The objects of a video are numbered by ByteTrack of the package trackers (Zhang et al., 2022). It
predicts where each object goes, and joins it to the box that it overlaps most: first to sure boxes,
then to those of lower scores, such as of objects that are half hidden. Classes do not count: an
object whose class flickers keeps its number.
"""

import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from itertools import groupby, islice
from types import ModuleType
from typing import Any, NamedTuple, Protocol

import numpy as np
from tqdm import tqdm

from ..data.loading.image_file import ATTEMPTS, UnreadableImage
from ..data.sources import Frame, Source, count_frames, read_frames
from ..errors import InputError, printable
from ..runtime.answers import Answer, Detected
from ..utils.messages import in_one_line, on_terminal
from ..utils.packages import import_optional
from .journal import Journal
from .writers import PictureWriter, PredictionWriter

SAME = 0.6  # overlap, from which on two boxes show one object, whatever their classes
UNSURE = 0.35  # of the least score of a class, from which on a box continues a track


def require_trackable(task: str, sources: Sequence[Source]) -> None:
    """Check that objects can be followed in files.

    Raises:
        InputError: the model finds no objects, a file is no video, or a package is not installed.
    """
    if task != 'detection':
        raise InputError(f'--track: follows the objects of a detector; this model is for {task}')
    for source in sources:
        if not source.is_video:
            raise InputError(
                f'--track: follows objects in videos, and {source.path} is an image. Make a video '
                "of the images, such as with: ffmpeg -i '%06d.jpg' video.mp4"
            )
    _package()


def _package() -> ModuleType:
    return import_optional('trackers', 'trackers')


class Tracking:
    """Follows the objects of one video after the other.

    Args:
        least: score of each class (C,), from which on an object is sure.
    """

    def __init__(self, least: np.ndarray) -> None:
        self.least = least
        self.video = ''
        self.tracker: Any = None

    def follow(self, frame: Frame, answer: Detected) -> Detected:
        """Return the objects of the next frame with ``tracks``, which begin at 1 in each video.

        Raises:
            InputError: there are segments alone.
        """
        if frame.source.name != self.video:
            self.video = frame.source.name
            self.tracker = _package().ByteTrackTracker(
                frame_rate=frame.rate, high_conf_det_threshold=0.5, track_activation_threshold=0.5
            )
        found = replace(answer, masks=None).to_supervision()
        found.data['row'] = np.arange(len(found))
        least = self.least[answer.labels]
        found = found[answer.scores >= UNSURE * least].with_nms(SAME, class_agnostic=True)
        rows = found.data['row']
        found.confidence = (answer.scores >= least)[rows].astype(np.float32)
        followed = self.tracker.update(found)
        tracks = np.full(len(answer.labels), -1)
        tracks[followed.data.get('row', [])] = followed.tracker_id
        return replace(answer, tracks=np.where(tracks < 0, -1, tracks + 1))


# ------------------------------------------------------------------------ the run


class Model(Protocol):
    """A model for inference: a ``Predictor``, a ``GraphModel`` or an ``ExportedModel``.

    Attributes:
        meta: ``classes``, a name for each class, and ``palette`` where one is known.
        runtime: what computes, and why.
        color: how pictures are read, see :func:`vitbackbones.data.loading.image_file.decode`.
        at_once: how many pictures of a batch are computed at the same time, each by itself.
    """

    meta: dict
    runtime: str
    at_once: int

    @property
    def color(self) -> str | int: ...

    def prepare(self, frame: Frame) -> dict:
        """Return what is answered together with others whose ``inputs`` have the same shape."""

    def answer(self, samples: Sequence[dict], logits: bool = False) -> list[Answer]:
        """Return the answers for prepared frames, with ``logits`` those of segmentation, too."""


class Prepared(NamedTuple):
    """A frame, and its input for the model."""

    frame: Frame
    sample: dict


class Answered(NamedTuple):
    """A frame, and its prediction."""

    frame: Frame
    answer: Answer


Batch = list[Prepared]  # frames of one size


def ahead(batches: Iterator[Batch], reader: Executor) -> Iterator[Batch]:
    """Yield batches, of which ``reader`` reads the next meanwhile."""
    coming = reader.submit(next, batches, None)
    while batch := coming.result():
        coming = reader.submit(next, batches, None)
        yield batch


@dataclass(eq=False)
class Run:
    """Predicts frames in batches of one image size, each as soon as it is full.

    Args:
        model: prepares frames and answers batches of them.
        writer: of its task.
        journal: of the folder of the results.
        batch_size: most frames at a time.
        draw: write pictures of what is found, too.
        tracking: follows the objects of videos, None where they are not followed.

    Attributes:
        failed: reasons, by the names of the files of which something could not be answered.
    """

    model: Model
    writer: PredictionWriter
    journal: Journal
    batch_size: int
    draw: bool = True
    tracking: Tracking | None = None

    def __post_init__(self) -> None:
        self.pictures = PictureWriter(self.writer.out / 'pictures')
        self.failed: dict[str, str] = {}
        self.in_a_row = {'pipeline': 0, 'model': 0}  # failures that no file explains

    def all(self, sources: Sequence[Source]) -> list[str]:
        """Go through the files that are not answered yet; write the JSON files in any case.

        Returns:
            The names of the JSON files.
        """
        names = [source.name for source in sources]
        if done := len(self.journal.answered & set(names)):
            print(f'{done} of {len(sources)} files are already done')
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
        before = self.journal.answered

        def row_of(source: Source) -> str | None:
            # pictures side by side share batches, frames of a video only with each other; a file
            # that was answered before parts its neighbors, as in a run that was not stopped
            if source.name in before:
                return None
            return source.name if source.is_video else ''

        total = sum(count_frames(source) for source in sources if source.name not in before)
        options = {'leave': False, 'file': sys.stdout, 'disable': not on_terminal()}
        with (
            tqdm(desc='predict', total=total, **options) as bar,
            ThreadPoolExecutor(1) as reader,
            ThreadPoolExecutor(1) as scribe,
        ):
            for row, files in groupby(sources, row_of):
                if row is None:
                    continue
                frames = 0
                written = scribe.submit(self._write, [])
                for answered in self._answers(ahead(self._batches(files), reader)):
                    written.result()  # raises what went wrong there: no line may follow
                    written = scribe.submit(self._write, answered)
                    frames += len(answered)
                    bar.update(len(answered))
                written.result()
                self.pictures.end_video()
                if row and row not in self.failed:
                    self.journal.end_video(row, frames)

    def _batches(self, files: Iterable[Source]) -> Iterator[Batch]:
        """Yield full batches, and smaller ones before the size changes and at the end."""
        for _, frames in groupby(
            self._prepared(files), lambda prepared: prepared.sample['inputs'].shape
        ):
            while batch := list(islice(frames, self.batch_size)):
                yield batch

    def _prepared(self, files: Iterable[Source]) -> Iterator[Prepared]:
        """Yield the frames of files, as far as they can be read, with what the model takes."""
        for source in files:
            try:
                for frame in read_frames(source, self.model.color):
                    try:
                        sample = self.model.prepare(frame)
                    except UnreadableImage:
                        raise
                    except Exception as error:  # whatever its steps raise
                        self._fail_in('pipeline', [frame], error)
                        continue
                    self.in_a_row['pipeline'] = 0
                    yield Prepared(frame, sample)
            except UnreadableImage as error:
                self._fail([source], str(error))

    def _answers(self, batches: Iterable[Batch]) -> Iterator[list[Answered]]:
        """Yield what is on the frames of each batch, in order.

        If the model computes several pictures at a time, the next batch begins before the last
        picture of a batch is done, so that no core waits for it.
        """
        if self.model.at_once == 1:
            yield from map(self._answer, batches)
            return
        with ThreadPoolExecutor(2) as pool:
            running: deque[Future] = deque()
            try:
                for batch in batches:
                    running.append(pool.submit(self._answer, batch))
                    if len(running) > 1:
                        yield running.popleft().result()
            except Exception:  # of the pipeline or the model: what runs may still be answered
                yield from (each.result() for each in running)
                raise
            yield from (each.result() for each in running)

    def _answer(self, batch: Batch) -> list[Answered]:
        """Return the frames of a batch with what is on them; nothing where the model fails."""
        frames = [prepared.frame for prepared in batch]
        try:
            answers = self.model.answer([prepared.sample for prepared in batch])
        except Exception as error:  # such as memory that is too small for one large image
            self._fail_in('model', frames, error)
            return []
        self.in_a_row['model'] = 0
        return [Answered(*each) for each in zip(frames, answers, strict=True)]

    def _write(self, answered: list[Answered]) -> None:
        """Write masks and pictures of a batch, then the lines by which it counts as answered."""
        records = []
        for frame, answer in answered:
            if self.tracking:
                answer = self.tracking.follow(frame, answer)
            records.append(self.writer.record(frame, answer))
            if self.draw:
                self.pictures.add(frame, self.writer.draw(frame, answer))
        if records:
            self.journal.add(records)

    def _fail(self, sources: Iterable[Source], text: str) -> None:
        self.failed |= {source.name: text for source in sources}
        tqdm.write(printable(f'error: {text}'), file=sys.stderr)  # it may name any file

    def _fail_in(self, part: str, frames: Sequence[Frame], error: Exception) -> None:
        """Note that the pipeline or the model, ``part``, raised ``error`` on frames."""
        self.in_a_row[part] += 1
        if self.in_a_row[part] >= ATTEMPTS:  # two batches may fail at the same time
            raise error  # it is not the files' fault
        names = ', '.join(map(str, frames))
        reason = f'the {part} fails ({type(error).__name__}: {in_one_line(error)})'
        self._fail([frame.source for frame in frames], f'{names}: {reason}')
