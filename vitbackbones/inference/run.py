"""A prediction from the first file to the last, whatever model answers.

Nothing that was answered is lost: it is on the disk before the next batch begins, and a run that is
resumed goes on behind it. One file that cannot be read, prepared or answered costs that file only.
"""

import sys
from collections.abc import Sequence
from contextlib import closing, suppress
from typing import Protocol

from tqdm import tqdm

from ..data.loading.image_file import ATTEMPTS, UnreadableImage
from ..errors import InputError, printable
from ..export.runtime.answers import Answer
from ..utils.messages import failure, on_terminal
from .journal import Journal
from .sources import Frame, Source, count_frames, read_frames
from .writers import PictureWriter, PredictionWriter


class Model(Protocol):
    """What answers: :class:`.predictor.Predictor`, or an exported file.

    Attributes:
        meta: ``classes``, a name for each class, and ``palette`` where one is known.
    """

    meta: dict

    def prepare(self, frame: Frame) -> dict:
        """Return what is answered together with others whose ``inputs`` have the same shape."""

    def answer(self, samples: Sequence[dict]) -> list[Answer]:
        """Return the answers for prepared frames."""


class Run:
    """Frames one after another in batches of one size, each answered as soon as it is full.

    Args:
        model: prepares frames and answers batches of them.
        writer: of its task.
        journal: of the folder of the results.
        batch_size: most frames at a time.

    Attributes:
        failed: names of the files of which something could not be answered.
    """

    def __init__(
        self, model: Model, writer: PredictionWriter, journal: Journal, batch_size: int
    ) -> None:
        self.model = model
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
            sample = self.model.prepare(frame)
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
            found = self.model.answer([sample for _, sample in waiting])
        except Exception as error:  # such as memory that is too small for one large image
            self.fail_in('model', batch, error)
            return
        self.in_a_row['model'] = 0
        records = []
        for frame, answer in zip(batch, found, strict=True):
            record, picture = self.writer.read(frame, answer)
            self.pictures.add(frame, picture)
            records.append(record)
        self.journal.add(records)

    def fail(self, sources: Sequence[Source], text: str) -> None:
        """Note files as failed, and say why."""
        self.failed |= {source.name for source in sources}
        self.bar.write(printable(f'error: {text}'), file=sys.stderr)  # it may name any file

    def fail_in(self, part: str, batch: Sequence[Frame], error: Exception) -> None:
        """Note that the pipeline or the model, ``part``, raised ``error`` on a batch.

        Raises:
            Exception: ``error``, the last of ``ATTEMPTS`` in a row: it is not the files' fault.
        """
        self.in_a_row[part] += 1
        if self.in_a_row[part] == ATTEMPTS:
            raise error
        names = ', '.join(map(str, batch))
        self.fail([frame.source for frame in batch], f'{names}: {failure(error, part)}')
