"""Bit-exact resuming of killed trainings, for any training loop of torch.

Every random number follows from the seed and its place in the run, so no random state is saved.

* A sample is drawn with generators seeded from (seed, epoch, place in the epoch), where the places
  of all processes together count 0, 1, 2, ... So it depends neither on the number of workers or
  processes nor on where the run was resumed.
* A step begins with generators seeded from (seed, rank, step).
* The data are entered where the run stopped, without loading what was trained on.

:class:`ExactRun` is this for a loop of your own, Lightning or accelerate: ``docs/exact.md``. In the
runs of this package :mod:`vitbackbones.training.hooks.exact_resume` does it.

Seeded are the global generators of Python, numpy and torch. A dataset with one of its own can seed
it from ``torch.initial_seed()``, which is another number for every sample.
"""

import random
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, islice
from typing import Any

import numpy as np
import torch
from torch import distributed
from torch.utils.data import BatchSampler, DataLoader, Dataset, Sampler

# The first number of a key: what the random numbers are for. Maps of drawn views have 2.
PROCESS = 0
SAMPLE = 1
ORDER = 3
Place = tuple[int, int]  # epoch, and number of the sample in it
# What a loader is built with besides its data set and the order of it.
SETTINGS = (
    *('num_workers', 'collate_fn', 'pin_memory', 'timeout', 'worker_init_fn', 'generator'),
    *('multiprocessing_context', 'prefetch_factor', 'persistent_workers'),
)


def seed_generators(*key: int) -> int:
    """Seed Python's and numpy's global generators; return a seed for torch's (63 bits)."""
    words = np.random.SeedSequence(key).generate_state(8)
    random.seed(words[:4].tobytes())
    np.random.seed(words[4:6])
    return int.from_bytes(words[6:].tobytes(), 'little') >> 1


def seed_step(seed: int, step: int) -> None:
    """Seed all generators of this process, including those of GPUs, for one training step."""
    torch.manual_seed(seed_generators(PROCESS, seed, process_place()[0], step))


def process_place() -> tuple[int, int]:
    """Return the rank of this process and the number of processes; 0 and 1 for a single process."""
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    return 0, 1


# ------------------------------------------------------------------------ the order of the data

# What the place of a sample depends on, as checkpoints name it.
PROCESSES = 'number of processes'
BATCH = 'batch size'
LENGTH = 'number of batches'
SAMPLES = 'samples of an epoch'
SAMPLER = 'seed of the sampler'


def compare_order(saved: Mapping[str, int], now: Mapping[str, int]) -> tuple[bool, str]:
    """Return whether every step gets the same samples as before, and what differs ('' if nothing).

    Args:
        saved, now: of :meth:`PlacedBatches.order`. What one of them lacks is not compared.
    """
    changed = {key: (saved[key], now[key]) for key in now if saved.get(key, now[key]) != now[key]}
    said = ', '.join(f'{key} was {was}, is {is_now}' for key, (was, is_now) in changed.items())
    pairs = [(each.get(PROCESSES, 1), each.get(BATCH, 1)) for each in (saved, now)]
    if not changed or {*changed} != {PROCESSES, BATCH} or len({a * b for a, b in pairs}) > 1:
        return not changed, said
    return True, (
        f'{said}; each step has the samples that it had, drawn alike, but sums are rounded '
        'otherwise, and what a network draws in training (dropout, mixing) is other'
    )


class PlacedBatches:
    """A batch sampler that adds to each sample its position in the run.

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
    def sampler(self) -> Any:
        return self.batches.sampler  # mmengine's sampler hook asks for it

    @property
    def batch_size(self) -> int:
        return self.batches.batch_size

    def order(self) -> dict[str, int]:
        """Return what the place of a sample depends on."""
        processes = process_place()[1]
        samples = len(self) * self.batch_size if self.batches.drop_last else len(self.sampler)
        return {
            PROCESSES: processes,
            BATCH: self.batch_size,
            LENGTH: len(self),
            SAMPLES: samples * processes,
            SAMPLER: getattr(self.sampler, 'seed', 0),
        }

    def __len__(self) -> int:
        return len(self.batches)

    def __iter__(self) -> Iterator[list[tuple[int, Place]]]:
        rank, world_size = process_place()
        start = self.start
        self.start = 0
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
    """A proxy of a dataset: all attributes but ``__getitem__`` are those of the dataset.

    mmengine and the hooks of the toolboxes ask the training data for ``metainfo``, some set its
    ``pipeline``.

    Args:
        dataset: what it stands for.
        own: attributes of the proxy itself.
    """

    def __init__(self, dataset: Dataset | Sequence, **own) -> None:
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
    """Seeds all generators from the position of a sample before the sample is loaded."""

    def __init__(self, dataset: Dataset | Sequence, seed: int) -> None:
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
    rebuilt = DataLoader(dataset, batch_sampler=batches, **settings)
    # torch forgets it where a batch sampler is given, and hooks such as PreciseBNHook divide by it
    object.__setattr__(rebuilt, 'batch_size', loader.batch_size)
    return rebuilt


# ------------------------------------------------------------------------ a run


class EpochSampler(Sampler[int]):
    """The samples of this process, in a different order in each epoch.

    Args:
        size: of the dataset.
        seed: of the order.
        shuffle: False for the order of the dataset.
    """

    def __init__(self, size: int, seed: int, shuffle: bool) -> None:
        self.size = size
        self.seed = int(seed)  # numpy's integers are no plain data
        self.shuffle = shuffle
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __len__(self) -> int:
        return self.size // process_place()[1]

    def __iter__(self) -> Iterator[int]:
        order = np.arange(self.size)
        if self.shuffle:
            np.random.default_rng((ORDER, self.seed, self.epoch)).shuffle(order)
        rank, processes = process_place()
        return iter(order[rank::processes][: len(self)].tolist())


class ExactRun:
    """The data order, random numbers and position of a training; a checkpoint stores them.

    Processes are those of ``torch.distributed`` at the time of reading. An epoch leaves out what
    fills no batch of all processes, other samples in each epoch.

    Args:
        dataset: with a length, and samples by their number.
        batch_size: of one process.
        seed: of everything that is drawn.
        shuffle: False for the order of the dataset in every epoch.
    """

    def __init__(
        self, dataset: Dataset | Sequence, batch_size: int, seed: int = 0, shuffle: bool = True
    ) -> None:
        sampler = EpochSampler(len(dataset), seed, shuffle)  # type: ignore[arg-type]
        batches = BatchSampler(sampler, batch_size, drop_last=True)
        self.batches = PlacedBatches(batches, endless=False)
        self.order = {'size of the data set': sampler.size, 'shuffle': int(bool(shuffle))}
        self.dataset = SeededDataset(dataset, seed)
        self.seed = seed
        self.step = 0  # how many were begun

    def loader(self, **options) -> DataLoader:
        """Return a loader whose iteration gives the rest of the epoch that ``step`` is in.

        Args:
            options: of ``DataLoader``, such as ``num_workers``, which may change at any time.
        """
        return DataLoader(self.dataset, batch_sampler=self, **options)  # type: ignore[arg-type]

    def steps(self, loader: Iterable, until: int) -> Iterator[Any]:
        """Yield the batches of ``loader``, epoch after epoch, each as a step that has begun.

        A state that is saved after the step resumes at the next one.
        """
        while self.step < until:
            for batch in islice(loader, until - self.step):
                self.begin_step()
                yield batch

    def begin_step(self) -> None:
        """Seed the generators for a step and count it: before its forward pass."""
        seed_step(self.seed, self.step)
        self.step += 1

    def state_dict(self) -> dict[str, int]:
        """Return the place, and what the order of the data depends on."""
        return {'step': self.step, **self.batches.order(), **self.order}

    def load_state_dict(self, state: Mapping[str, int]) -> None:
        """Go on where ``state`` was saved; a warning says if there are fewer or more processes.

        Raises:
            ValueError: the steps would have other samples; says what has changed.
        """
        kept, changes = compare_order(state, {**self.batches.order(), **self.order})
        if not kept:
            raise ValueError(f'the run cannot go on where it was, as the data differ: {changes}')
        if changes:
            warnings.warn(f'the run continues, but not bit-exactly: {changes}', stacklevel=2)
        self.step = state['step']

    def __len__(self) -> int:
        """Return the steps of an epoch."""
        return len(self.batches)

    def __iter__(self) -> Iterator[list[tuple[int, Place]]]:
        """Yield the batches that are left of the epoch, as a batch sampler does.

        Raises:
            ValueError: there are fewer samples than one batch of all processes.
        """
        if not len(self):
            size = len(self.dataset)
            raise ValueError(f'{size} samples do not fill a batch of each process')
        epoch, self.batches.start = divmod(self.step, len(self))
        self.batches.epoch = epoch
        self.batches.sampler.set_epoch(epoch)
        return iter(self.batches)
