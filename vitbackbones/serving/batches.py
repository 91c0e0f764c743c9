"""Answer pictures of many clients in batches.

A batch is whatever waits when the model is free, so nobody waits for a batch to fill. Its images
have one size, as the model stacks them.
"""

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Condition, Thread

from ..inference.run import Model
from ..runtime.answers import Answer


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
