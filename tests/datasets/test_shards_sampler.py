"""The order in which a few shards are read at a time."""

import pytest
from mmengine.dataset import DefaultSampler
from mmpretrain.datasets.samplers import RepeatAugSampler

from vitbackbones.datasets.shards import ImageNetShards
from vitbackbones.datasets.shards_sampler import ShardSampler
from vitbackbones.errors import InputError

MODULES = (
    'vitbackbones.datasets.shards_sampler',
    'mmengine.dataset.sampler',
    'mmpretrain.datasets.samplers.repeat_aug',
)
SHARDS = 5


class Data(ImageNetShards):
    """23 samples, sample i in shard i % 5."""

    def load_data_list(self):
        return [{'shard': i % SHARDS} for i in range(23)]


@pytest.fixture
def order(monkeypatch):
    """``order(kind, rank, world_size, ...)``: what a sampler gives a process in an epoch."""

    def of(kind=ShardSampler, rank=0, world_size=1, epoch=0, **options):
        for module in MODULES:
            monkeypatch.setattr(f'{module}.get_dist_info', lambda: (rank, world_size))
        sampler = kind(Data(), seed=0, **options)
        sampler.set_epoch(epoch)
        indices = list(sampler)
        assert len(indices) == len(sampler)
        return indices

    return of


@pytest.mark.parametrize('window', [1, 2, 5, 8])
def test_pictures_are_shuffled_within_windows_of_shuffled_shards(order, window):
    indices = order(window=window)
    assert sorted(indices) == list(range(23))
    shards = [i % SHARDS for i in indices]
    turns = list(dict.fromkeys(shards))  # in the order of their first pictures
    for start in range(0, SHARDS, window):
        now = turns[start : start + window]
        count = sum(shard in now for shard in shards)
        assert {*shards[:count]} == {*now}
        shards = shards[count:]
    assert indices != order(window=window, epoch=1)
    assert indices == order(window=window)


@pytest.mark.parametrize('world_size', [1, 2, 3, 8])
@pytest.mark.parametrize(
    ('other', 'options'),
    [(DefaultSampler, {}), (RepeatAugSampler, {'num_repeats': 3})],
)
def test_processes_share_an_order_as_with_the_samplers_whose_place_it_takes(
    order, other, options, world_size
):
    for rank in range(world_size):
        place = {'rank': rank, 'world_size': world_size, 'shuffle': False, **options}
        assert order(ShardSampler, **place) == order(other, **place)


def test_a_data_set_without_shards():
    with pytest.raises(InputError, match='sampler ShardSampler: list has no shards. Use it with'):
        ShardSampler([1, 2], seed=0)
