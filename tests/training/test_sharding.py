"""Sharded weights in two processes on CPUs, and their checkpoints on other numbers of them."""

import json
from types import SimpleNamespace

import pytest
from torch import nn

from vitbackbones.errors import InputError
from vitbackbones.training.hooks import cached_maps
from vitbackbones.training.sharding import shard

from .test_distributed import torchrun
from .toy import run_toy
from .two_sharded import RUNS, losses, settings


@pytest.fixture(scope='module')
def ranks(tmp_path_factory):
    """What each of the two processes saw, and the folder they wrote to."""
    folder = tmp_path_factory.mktemp('sharded')
    result = torchrun(folder, script='two_sharded.py')
    assert result.returncode == 0, result.stdout + result.stderr
    return [json.loads((folder / f'rank_{i}.json').read_text()) for i in (0, 1)], folder


@pytest.mark.parametrize('loop', RUNS)
def test_resumed_equals_uninterrupted(ranks, loop):
    """Weights, averages and optimizer; the second clips, accumulates, compiles, in bfloat16."""
    assert [seen[loop] for seen in ranks[0]] == [True, True]


def test_each_process_keeps_about_half(ranks):
    of = ranks[0][0]['of']
    assert sum(seen['kept'] for seen in ranks[0]) == of
    assert all(seen['kept'] < 0.6 * of for seen in ranks[0])


def test_ddp_and_one_process_go_on_with_the_same_pictures(ranks, tmp_path, capsys):
    seen, folder = ranks
    start = {'resume': True, 'load_from': str(folder / 'fsdp' / 'epoch_1.pth')}
    alone = losses(run_toy(settings(tmp_path, 'epoch', noise=0.0, batch_size=4, **start)))[-2:]
    expected = together(seen, 'losses')
    assert alone == pytest.approx(expected, rel=1e-6)
    for other in ('ddp', 'on ddp', 'on fsdp'):
        assert together(seen, other) == pytest.approx(expected, rel=1e-6)
    said = 'number of processes was 2, is 1, batch size was 2, is 4; each step has the samples'
    assert said in capsys.readouterr().out


def together(seen, run):
    """The mean over the processes of the last two losses."""
    return [sum(pair) / 2 for pair in zip(*(each[run][-2:] for each in seen), strict=True)]


def test_a_loss_that_is_not_finite_stops_all(ranks):
    for seen in ranks[0]:
        assert 'process 1: loss_extra is nan' in seen['stops']


def test_maps_are_not_kept(monkeypatch):
    monkeypatch.setattr(cached_maps, 'is_sharded', lambda model: True)
    with pytest.raises(InputError, match='remove --cache-gb'):
        cached_maps.CachedMapsHook(gb=1).before_train(SimpleNamespace(model=None))


def test_a_number_without_a_dimension_is_named():
    model = nn.Linear(1, 1)
    model.scale = nn.Parameter(model.bias.detach()[0])
    with pytest.raises(InputError, match='--fsdp: scale is a single number'):
        shard(model, None, [])
