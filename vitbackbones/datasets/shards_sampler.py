"""A shuffled order that reads a few shards at a time.

On spinning disks, pictures from all over a data set cost a movement of the head each. Here the
shards are shuffled, and the pictures of ``window`` shards among each other. Shards hold pictures of
all classes, mixed when they are written, so batches are mixed as well. What differs from a global
shuffle: pictures of different shards meet in a batch only if the shards meet in a window.
"""

from collections.abc import Iterator

import torch
from mmengine.dist import get_dist_info, sync_random_seed
from torch import Tensor
from torch.utils.data import Sampler

from ..errors import InputError
from .shards import ImageNetShards


class ShardSampler(Sampler):
    """Takes the place of ``DefaultSampler`` and ``RepeatAugSampler`` for shards.

    The order depends on the seed, the epoch and the shards alone. Process r of W gets every W-th
    sample of it from r on, as from those two. So epochs have the same length in every process, and
    the copies of a picture come to different ones.

    Args:
        dataset: the pictures.
        shuffle: whether to shuffle at all.
        num_repeats: how often each picture comes; an epoch then has only so many fewer pictures.
        window: the number of shards whose pictures are shuffled among each other.
        seed: must be the same in all processes; None to agree on one.

    Raises:
        InputError: the data set is another one.
    """

    def __init__(
        self,
        dataset: ImageNetShards,
        shuffle: bool = True,
        num_repeats: int = 1,
        window: int = 8,
        seed: int | None = None,
    ) -> None:
        if not isinstance(dataset, ImageNetShards):
            raise InputError(
                f'sampler ShardSampler: {type(dataset).__name__} has no shards. Use it with '
                'vitbackbones.ImageNetShards, or another sampler.'
            )
        self.shards = torch.tensor(dataset.shard_numbers())  # (samples,)
        self.shuffle, self.num_repeats, self.window = shuffle, num_repeats, window
        self.rank, self.world_size = get_dist_info()
        self.seed = sync_random_seed() if seed is None else seed
        self.epoch = 0

    def __len__(self) -> int:
        """Return the number of samples of this process."""
        return -(-len(self.shards) // self.world_size)

    def __iter__(self) -> Iterator[int]:
        order = self._order()
        places = self.rank + self.world_size * torch.arange(len(self))
        # behind the last one comes the first, so that all processes have the same number
        places = places % (len(order) * self.num_repeats)
        return iter(order[places // self.num_repeats].tolist())

    def set_epoch(self, epoch: int) -> None:
        """Choose the order of an epoch."""
        self.epoch = epoch

    def _order(self) -> Tensor:
        """Return the numbers of all samples (samples,), each once."""
        if not self.shuffle:
            return torch.arange(len(self.shards))
        generator = torch.Generator().manual_seed(self.seed + self.epoch)
        turns = torch.randperm(int(self.shards.max()) + 1, generator=generator)
        order = torch.randperm(len(self.shards), generator=generator)
        windows = turns[self.shards[order]] // self.window
        return order[windows.argsort(stable=True)]
