"""Training data whose random numbers follow from the seed and the place in the run; torch alone.

A batch sampler says of every sample where in the run it stands, and a data set seeds all generators
from that place before it draws the sample. :mod:`vitbackbones.training.hooks.exact_resume` puts
both into a run.
"""

import random
from collections.abc import Iterator
from itertools import count, islice

import numpy as np
import torch
from torch import distributed
from torch.utils.data import BatchSampler, DataLoader, Dataset, Sampler

PROCESS, SAMPLE = 0, 1  # the first number of a key: what the random numbers are for
Place = tuple[int, int]  # epoch, and number of the sample in it
# What a loader is built with besides its data set and the order of it.
SETTINGS = (
    'num_workers',
    'collate_fn',
    'pin_memory',
    'timeout',
    'worker_init_fn',
    'multiprocessing_context',
    'generator',
    'prefetch_factor',
    'persistent_workers',
)


def seed_generators(*key: int) -> int:
    """Seed Python's and numpy's global generators; return a seed for torch's (63 bits)."""
    words = np.random.SeedSequence(key).generate_state(8)
    random.seed(words[:4].tobytes())
    np.random.seed(words[4:6])
    return int.from_bytes(words[6:].tobytes(), 'little') >> 1


class PlacedBatches:
    """A batch sampler that says of every sample where in the run it stands.

    Yields batches of (index, (epoch, place)) in place of batches of indices. ``epoch`` and
    ``start``, the number of batches to leave out, are set before an iteration begins.

    Args:
        batches: gives the indices of this process.
        endless: go through ``batches`` again and again, as iteration-based loops do.
    """

    def __init__(self, batches: BatchSampler, endless: bool) -> None:
        self.batches = batches
        self.endless = endless
        self.epoch = self.start = 0

    @property
    def sampler(self) -> Sampler:
        return self.batches.sampler  # mmengine's sampler hook asks for it

    @property
    def batch_size(self) -> int:
        return self.batches.batch_size

    def __len__(self) -> int:
        return len(self.batches)

    def __iter__(self) -> Iterator[list[tuple[int, Place]]]:
        rank, world_size = 0, 1
        if distributed.is_available() and distributed.is_initialized():
            rank, world_size = distributed.get_rank(), distributed.get_world_size()
        start, self.start = self.start, 0
        for number, indices in islice(enumerate(self._passes()), start, None):
            first = number * self.batch_size
            yield [
                (index, (self.epoch, (first + i) * world_size + rank))
                for i, index in enumerate(indices)
            ]

    def _passes(self) -> Iterator[list[int]]:
        yield from self.batches
        for number in count(1) if self.endless else ():
            self.sampler.set_epoch(number)
            yield from self.batches


class DatasetProxy(Dataset):
    """Stands for a data set: everything but ``__getitem__`` is read from and set on that one.

    mmengine and the hooks of the toolboxes ask the training data for ``metainfo``, some set its
    ``pipeline``.

    Args:
        dataset: what it stands for.
        own: attributes of the proxy itself.
    """

    def __init__(self, dataset: Dataset, **own) -> None:
        self.__dict__.update(own, dataset=dataset)

    def __len__(self) -> int:
        return len(self.dataset)

    def __getattr__(self, name: str):
        # special methods would go around our __getitem__; pickle asks for some before the data set
        if name.startswith('__'):
            raise AttributeError(name)
        return getattr(self.dataset, name)

    def __setattr__(self, name: str, value) -> None:
        setattr(self.dataset, name, value)


class SeededDataset(DatasetProxy):
    """Seeds all generators from the place of a sample before it is drawn."""

    def __init__(self, dataset: Dataset, seed: int) -> None:
        super().__init__(dataset, seed=seed)

    def __getitem__(self, numbered: tuple[int, Place]):
        index, place = numbered
        # not torch.manual_seed: it would seed the GPU as well
        torch.default_generator.manual_seed(seed_generators(SAMPLE, self.seed, *place))
        return self.dataset[index]


def rebuild(
    loader: DataLoader, dataset: Dataset, batches: BatchSampler | PlacedBatches
) -> DataLoader:
    """Return a loader with the settings of ``loader`` that reads ``batches`` of ``dataset``."""
    settings = {name: getattr(loader, name) for name in SETTINGS}
    return DataLoader(dataset, batch_sampler=batches, **settings)
