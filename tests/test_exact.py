"""Samples that know their place in a run, and data sets that draw them by it."""

import pickle
from itertools import islice

import pytest
import torch
from mmengine.dataset import DefaultSampler
from torch.utils.data import BatchSampler, DataLoader

from vitbackbones import exact
from vitbackbones.exact import DatasetProxy, ExactRun, PlacedBatches, SeededDataset

from .training.toy import NoisyData, ToyData


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


# ------------------------------------------------------------------------ a run of one's own


def read(run, steps):
    """Return the samples of a number of steps, each with what its process draws then."""
    loader = run.loader(collate_fn=list)
    return [(batch, torch.rand(1).item()) for batch in run.steps(loader, run.step + steps)]


def run_of(batch_size=3, seed=0, more=0, mixed=True, **state):
    data = [*range(8 + more)] if more else NoisyData()
    run = ExactRun(data, batch_size, seed, mixed)
    if state:
        run.load_state_dict(state)
    return run


def test_a_run_goes_on_within_an_epoch_and_draws_anew_in_the_next():
    run = run_of()
    first, state = read(run, 1), run.state_dict()
    whole = first + read(run, 4)
    torch.rand(5)
    assert whole[1:] == read(run_of(**state), 4)
    assert len({numbers for _, numbers in whole}) == 5
    epochs = [sum((batch for batch, _ in whole[i : i + 2]), []) for i in (0, 2)]
    assert epochs[0] != epochs[1]


def test_fewer_processes_with_larger_batches_read_the_same_samples(monkeypatch):
    alone = [samples for samples, _ in read(run_of(4), 2)]
    together = []
    for rank in (0, 1):
        monkeypatch.setattr(exact, 'process_place', lambda rank=rank: (rank, 2))
        run = run_of(2)
        together.append([samples for samples, _ in read(run, 2)])
    state = {**run.state_dict(), 'step': 1}
    interleaved = [
        [sample for pair in zip(*batches, strict=True) for sample in pair]
        for batches in zip(*together, strict=True)
    ]
    assert interleaved == alone
    monkeypatch.undo()
    with pytest.warns(UserWarning, match='processes was 2, is 1.* the samples that it had'):
        resumed = run_of(4, **state)
    assert [samples for samples, _ in read(resumed, 1)] == alone[1:]


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'batch_size': 2}, 'batch size was 3, is 2'),
        ({'seed': 1}, 'sampler was 0, is 1'),
        ({'more': 1}, 'number of batches was 2, is 3'),
        ({'more': -1}, 'size of the data set was 8, is 7'),
        ({'mixed': False}, 'shuffle was 1, is 0'),
    ],
)
def test_a_run_of_other_data_is_refused(options, message):
    state = run_of().state_dict()
    with pytest.raises(ValueError, match=message):
        run_of(**options, **state)
    with pytest.raises(ValueError, match='8 samples do not fill a batch of each'):
        read(run_of(9), 1)


def test_a_rebuilt_loader_still_tells_its_batch_size():
    """mmpretrain's PreciseBNHook divides by it after each epoch."""
    loader = DataLoader(ToyData(), batch_size=3)
    batches = PlacedBatches(loader.batch_sampler, endless=False)
    again = exact.rebuild(loader, SeededDataset(ToyData(), seed=0), batches)
    assert again.batch_size == 3
    assert exact.rebuild(again, again.dataset, batches).batch_size == 3
    assert len(list(again)) == 3
