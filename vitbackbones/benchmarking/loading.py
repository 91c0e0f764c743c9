"""What loading training images costs a core, part by part.

Pipelines take turns on the same files, one sample after the other as a data worker does it, in one
thread. The clock is read between the steps.
"""

import random
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import cv2
import numpy as np
import torch


@dataclass(frozen=True)
class Pipeline:
    """From samples that name files to a batch.

    Attributes:
        steps: what is done to a sample, by the name of the part.
        collate: makes a batch of a list of samples.
        on_device: what training does to a batch before the model gets it, where it is not part of
            the steps.
    """

    steps: Mapping[str, Callable]
    collate: Callable[[list], object]
    on_device: Callable[[object], object] | None


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute in one thread, as data workers do."""
    before = torch.get_num_threads(), cv2.getNumThreads()
    torch.set_num_threads(1)
    cv2.setNumThreads(0)
    try:
        yield
    finally:
        torch.set_num_threads(before[0])
        cv2.setNumThreads(before[1])


def seed(number: int) -> None:
    """Seed all generators that pipelines draw from."""
    random.seed(number)
    np.random.seed(number)
    torch.manual_seed(number)


def seconds_by_part(pipeline: Pipeline, samples: Sequence[dict]) -> dict[str, float]:
    """Return the seconds that each part took for all ``samples``."""
    spent = dict.fromkeys(pipeline.steps, 0.0)
    loaded = []
    for sample in samples:
        sample = dict(sample)
        for name, step in pipeline.steps.items():
            start = time.perf_counter()
            sample = step(sample)
            spent[name] += time.perf_counter() - start
        loaded.append(sample)
    start = time.perf_counter()
    batch = pipeline.collate(loaded)
    spent['collate'] = time.perf_counter() - start
    spent['whole'] = sum(spent.values())
    if pipeline.on_device:
        start = time.perf_counter()
        pipeline.on_device(batch)
        spent['on the device'] = time.perf_counter() - start
    return spent


def milliseconds_by_part(
    pipelines: Mapping[str, Pipeline], samples: Sequence[dict], repeats: int, warm_up: int
) -> dict[str, dict[str, float]]:
    """Return for each pipeline the median milliseconds per image of each part.

    ``whole`` is the sum of what a data worker does. ``on the device`` is not in it.
    """
    rounds: dict[str, list[dict[str, float]]] = {name: [] for name in pipelines}
    with one_thread():
        for number in range(warm_up + repeats):
            for name, pipeline in pipelines.items():
                seed(number)
                rounds[name].append(seconds_by_part(pipeline, samples))
    return {name: _medians(found[warm_up:], len(samples)) for name, found in rounds.items()}


def _medians(rounds: Sequence[dict[str, float]], images: int) -> dict[str, float]:
    return {
        part: 1e3 * statistics.median(each[part] for each in rounds) / images for part in rounds[0]
    }
