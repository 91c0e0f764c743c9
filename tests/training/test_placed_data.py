"""Samples that know their place in a run, and data sets that draw them by it."""

import pickle
from itertools import islice

import torch
from mmengine.dataset import DefaultSampler
from torch.utils.data import BatchSampler

from vitbackbones.training.placed_data import DatasetProxy, PlacedBatches, SeededDataset

from .toy import NoisyData, ToyData


def endless(start=0):
    batches = BatchSampler(DefaultSampler(ToyData(), seed=0), 3, drop_last=False)
    stream = PlacedBatches(batches, endless=True)
    stream.start = start
    return stream


def test_endless_batches_are_shuffled_anew():
    batches = list(islice(endless(), 6))
    order = [index for batch in batches for index, _ in batch]
    assert order[:8] != order[8:]
    assert sorted(order[:8]) == sorted(order[8:])
    assert next(iter(endless(start=4))) == batches[4]


def test_a_sample_depends_on_its_place_and_nothing_else():
    data = SeededDataset(NoisyData(), seed=0)
    first = data[3, (0, 5)]
    torch.rand(3)
    assert data[3, (0, 5)] == first
    assert data[3, (1, 5)] != first
    assert data[3, (0, 6)] != first
    assert SeededDataset(NoisyData(), seed=1)[3, (0, 5)] != first


def test_a_proxy_is_what_it_stands_for():
    proxy = DatasetProxy(ToyData(), own=1)
    assert (proxy.metainfo, len(proxy), proxy.own) == (ToyData.metainfo, 8, 1)
    proxy.pipeline = 'new'
    assert proxy.dataset.pipeline == 'new'
    copy = pickle.loads(pickle.dumps(proxy))
    assert (copy.pipeline, copy.own) == ('new', 1)
    assert not hasattr(proxy, '__getitems__')
