"""From the bytes of a picture to the text of its answer, within limits, in batches.

A batch is whatever waits when the model is free, so nobody waits for a batch to fill. Its images
have one size, as the model stacks them.
"""

import asyncio
import json
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition, Thread
from typing import Any, NamedTuple

from fastapi import HTTPException
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from tqdm import tqdm

from ..data.loading.image_file import TooManyPixels, UnreadableImage, decode, header_of
from ..data.sources import Frame, Source
from ..errors import printable
from ..inference.open import WRITERS
from ..inference.run import Model, Prepared
from ..inference.writers import PredictionWriter
from ..runtime.answers import Answer, Detected
from ..runtime.card import Threshold
from ..utils.messages import in_one_line


@dataclass(eq=False)
class Waiting:
    """What ``Model.prepare`` returned, and where its answer goes."""

    sample: dict
    answer: 'Future[Answer]' = field(default_factory=Future)


class Batcher:
    """Answers prepared pictures, in one thread of its own.

    Args:
        model: answers them.
        batch_size: most pictures at a time.
        note: is told the size of each batch.
    """

    def __init__(self, model: Model, batch_size: int, note: Callable[[int], object]) -> None:
        self.model = model
        self.batch_size = batch_size
        self.note = note
        self._waiting: deque[Waiting] = deque()
        self._changed = Condition()
        self._is_closed = False
        self._thread = Thread(target=self._work, name='model', daemon=True)
        self._thread.start()

    def __len__(self) -> int:
        """Return how many pictures wait."""
        return len(self._waiting)

    def submit(self, sample: dict) -> 'Future[Answer]':
        """Return the coming answer for what ``Model.prepare`` returned; it may be canceled."""
        waiting = Waiting(sample)
        with self._changed:
            self._waiting.append(waiting)
            self._changed.notify()
        return waiting.answer

    def close(self) -> None:
        """End the thread, behind the batch that it computes; what waits is canceled."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._thread.join()
        for each in self._waiting:
            each.answer.cancel()

    def _work(self) -> None:
        while not self._is_closed:
            batch = [each for each in self._next() if each.answer.set_running_or_notify_cancel()]
            if batch:
                self.note(len(batch))
                self._answer(batch)

    def _next(self) -> list[Waiting]:
        """Wait for a picture; return it and others whose images have its size."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_closed)
            if self._is_closed:
                return []
            shape = self._waiting[0].sample['inputs'].shape
            same = [each for each in self._waiting if each.sample['inputs'].shape == shape]
            batch = same[: self.batch_size]
            for each in batch:
                self._waiting.remove(each)
            return batch

    def _answer(self, batch: Sequence[Waiting]) -> None:
        try:
            answers = self.model.answer([each.sample for each in batch])
        except Exception as error:  # whatever the model raises
            if len(batch) == 1:
                batch[0].answer.set_exception(error)
                return
            for each in batch:  # one picture must not cost the others theirs
                self._answer([each])
            return
        for each, answer in zip(batch, answers, strict=True):
            each.answer.set_result(answer)


# ------------------------------------------------------------------------ the service


READERS = 2  # threads that decode pictures and write answers
SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)  # the buckets of a histogram
SIZES = (1, 2, 4, 8, 16, 32, 64)


@dataclass(frozen=True)
class Limits:
    """What a server accepts.

    Attributes:
        bytes: of a request.
        pixels: of a picture.
        queue: requests at a time.
        seconds: from the arrival of a request to its answer.
    """

    bytes: int
    pixels: int
    queue: int
    seconds: float


class Form(NamedTuple):
    """How a client wants an answer: an option of ``predict``, and what else its request says."""

    masks: str = 'rle'
    format: str = 'predict'
    least: float = 0.0  # score of an object


class Metrics:
    """What ``/metrics`` shows."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        named = {'namespace': 'vitbackbones', 'registry': self.registry}
        about = 'Requests with a picture, by the status of their answer'
        self.requests = Counter('requests', about, ['status'], **named)
        about = 'Time from the arrival of a request to its answer'
        self.seconds = Histogram('request_seconds', about, buckets=SECONDS, **named)
        self.batches = Histogram('batch_size', 'Pictures in a batch', buckets=SIZES, **named)
        self.inside = Gauge('requests_in_progress', 'Requests that have no answer yet', **named)
        self.waiting = Gauge('waiting', 'Pictures that wait for the model', **named)


class Service:
    """Answers encoded pictures.

    Args:
        model: answers batches of them.
        task: a folder of ``tasks``.
        batch_size: most pictures at a time.
        limits: of requests.
        threshold: from which score on the page shows an object at first.

    Attributes:
        metrics: of all requests so far.

    Raises:
        InputError: the answers of the model cannot be written.
    """

    def __init__(
        self, model: Model, task: str, batch_size: int, limits: Limits, threshold: Threshold
    ) -> None:
        self.model = model
        self.task = task
        self.limits = limits
        self.threshold = threshold
        self.classes = [*model.meta['classes']]
        # raises now where no answer could be written, as of more classes than a mask can number
        WRITERS[task](None, model.meta, threshold.of(self.classes), 'rle')
        self.metrics = Metrics()
        self._batcher = Batcher(model, batch_size, self.metrics.batches.observe)
        self.metrics.waiting.set_function(lambda: len(self._batcher))
        self._pool = ThreadPoolExecutor(READERS)
        self._inside = 0  # requests
        self.metrics.inside.set_function(lambda: self._inside)

    def close(self) -> None:
        """Let go of all threads."""
        self._batcher.close()
        self._pool.shutdown()

    @contextmanager
    def admitted(self) -> Iterator[None]:
        """Count a request as one of those inside.

        Raises:
            HTTPException: there are as many as the limit.
        """
        if self._inside >= self.limits.queue:
            text = f'{self._inside} requests are already inside; try again later'
            raise HTTPException(429, text, {'Retry-After': '1'})
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1

    async def answer(self, content: bytes, name: str, form: Form) -> bytes:
        """Return the answer for the picture in the bytes of a file, as JSON.

        Raises:
            HTTPException: there is none.
        """
        loop = asyncio.get_running_loop()
        prepared = await loop.run_in_executor(self._pool, self._prepare, content, name)
        try:
            answer = await asyncio.wrap_future(self._batcher.submit(prepared.sample))
        except Exception as error:  # whatever the model raises
            reason = f'{type(error).__name__}: {in_one_line(error)}'
            text = printable(f'error: {name}: the model fails ({reason})')
            tqdm.write(text, file=sys.stderr)
            raise HTTPException(503, 'the model fails; its server knows why') from error
        return await loop.run_in_executor(self._pool, self._text, prepared.frame, answer, form)

    def _prepare(self, content: bytes, name: str) -> Prepared:
        try:
            header = header_of(content, self.limits.pixels)
            if header is None:
                raise ValueError('not an image of a known format')
            pixels = decode(content, header, self.model.color)
            frame = Frame(Source(Path(name), name), pixels)
            return Prepared(frame, self.model.prepare(frame))
        except TooManyPixels as error:
            raise HTTPException(413, f'{name}: {error}') from error
        except Exception as error:  # every decoder, and every step, has exceptions of its own
            text = in_one_line(error)
            named = text if isinstance(error, UnreadableImage) else f'{name}: {text}'
            raise HTTPException(422, named) from error

    def _text(self, frame: Frame, answer: Answer, form: Form) -> bytes:
        least = Threshold(score=form.least).of(self.classes)
        if isinstance(answer, Detected):
            answer = answer.sure(least)
        writer = WRITERS[self.task](None, self.model.meta, least, form.masks)
        record = writer.record(frame, answer)
        content = record if form.format == 'predict' else in_coco(writer, record)
        return json.dumps(content).encode()


def in_coco(writer: PredictionWriter, record: dict) -> dict[str, Any]:
    """Return what is on a picture as an annotation file of COCO, with scores."""
    files = writer.documents([record])
    content: Any = files['images.json']
    objects: Any = files.get('predictions.json', [])
    numbered = [{'id': number} | each for number, each in enumerate(objects, start=1)]
    content = content | {'annotations': numbered}
    if 'panoptic.json' in files:
        content['panoptic'] = files['panoptic.json']['annotations']
    return content
