"""One model asked by several threads at the same time."""

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np

THREADS, ANSWERS = 4, 500


def wrong_answers(ask: Callable, inputs: Sequence, threads=THREADS, answers=ANSWERS) -> list[int]:
    """Return how many answers of each thread are not those that one thread gets alone.

    ``ask`` returns an array for one of the inputs, whose answers differ.
    """
    alone = [np.array(ask(each)) for each in inputs]
    for i, one in enumerate(alone):
        assert not any(np.allclose(one, other) for other in alone[:i])
    start = Barrier(threads)

    def count(thread: int) -> int:
        start.wait()
        order = np.random.default_rng(thread).integers(len(inputs), size=answers)
        return sum(not np.allclose(ask(inputs[i]), alone[i], 1e-3, 1e-5) for i in order)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)  # what can go wrong between two threads goes wrong more often
    try:
        with ThreadPoolExecutor(threads) as pool:
            return [*pool.map(count, range(threads))]
    finally:
        sys.setswitchinterval(before)
