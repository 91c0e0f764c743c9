"""Reproduce the samples of a run with a given seed, without training.

In a run with ``ExactResumeHook`` every sample follows from the seed and its place in the run, and
what the model does to a batch from the seed and the number of the step. So each can be made alone.
They are those of a run on one process; of several, each draws other places.
"""

from collections.abc import Callable, Collection, Iterator
from itertools import islice
from typing import Any

import torch
from torch.utils.data import DataLoader

from ..exact import PROCESS, Place, PlacedBatches, SeededDataset, seed_generators
from .hooks.exact_resume import restart

PASSES = 10  # over the data at most for each draw that is looked for


class Replay:
    """The training data of a run.

    Args:
        loader: has the dataset, its order, and what joins samples; no worker is started.
        seed: ``randomness.seed`` of the run.
        by_epoch: whether the loop counts epochs; otherwise it goes on without end.
    """

    def __init__(self, loader: DataLoader, seed: int, by_epoch: bool) -> None:
        self.loader = loader
        self.seed = seed
        self.by_epoch = by_epoch
        self.samples = SeededDataset(loader.dataset, seed)

    def first_places(self, indices: Collection[int], number: int) -> dict[int, list[Place]]:
        """Return the first ``number`` places of each sample in the run.

        There are fewer of a sample that the order leaves out: at the end of an epoch, for example.
        """
        found = {index: [] for index in indices}
        missing = len(found) * number
        for batch in self._batches(PASSES * number):
            for index, place in batch:
                if index in found and len(found[index]) < number:
                    found[index].append(place)
                    missing -= 1
            if not missing:
                break
        return found

    def sample(self, index: int, place: Place) -> dict:
        """Return a sample as the run gets it at a place."""
        return self.samples[index, place]

    def when(self, place: Place) -> str:
        """Say in which epoch a place is, or in which step of a run without epochs; both from 1."""
        if self.by_epoch:
            return f'epoch {place[0] + 1}'
        return f'step {place[1] // self.loader.batch_sampler.batch_size + 1}'

    def first_batch(self, preprocess: Callable[[Any, bool], dict]) -> dict | None:
        """Return the first batch as the model gets it by ``preprocess``; None if none is full."""
        batch = next(self._batches(1), None)
        if batch is None:
            return None
        data = self.loader.collate_fn([self.samples[numbered] for numbered in batch])
        torch.default_generator.manual_seed(seed_generators(PROCESS, self.seed, 0, 0))
        return preprocess(data, True)

    def _batches(self, passes: int) -> Iterator[list[tuple[int, Place]]]:
        batches = PlacedBatches(self.loader.batch_sampler, endless=not self.by_epoch)
        restart(batches.sampler)
        if not self.by_epoch:
            yield from islice(batches, max(1, passes * len(self.samples) // batches.batch_size))
            return
        for epoch in range(passes):
            batches.epoch = epoch
            batches.sampler.set_epoch(epoch)
            yield from batches
