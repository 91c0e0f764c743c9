"""Suites name models that can be built, each group by its host."""

from argparse import Namespace
from functools import partial

import pytest

from vitbackbones.analysis.complexity import count
from vitbackbones.benchmarking.model_sources import SOURCES, build_model
from vitbackbones.benchmarking.suites import READ, SUITES, parts, suite_rows
from vitbackbones.benchmarking.suites.parts import GROUPS
from vitbackbones.errors import InputError


@pytest.mark.parametrize('group', GROUPS, ids=lambda group: group[0])
def test_a_part_is_a_change_of_its_host(group):
    assert len({*group}) == len(group) > 1
    host, *parts = (
        count(partial(build_model, spec, (224, 224), SOURCES)).parameters for spec in group
    )
    # what shares weights or groups them has no more numbers than the host
    assert all(0.8 * host < size < 1.4 * host for size in parts)


@pytest.mark.parametrize('name', SUITES)
def test_a_suite_is_found_by_its_name(name):
    assert callable(suite_rows(name))
    assert name in READ


def test_the_groups_of_some_hosts_alone_are_measured(monkeypatch):
    monkeypatch.setattr(parts, 'compared', lambda group, case, options, sources: [group])
    options = Namespace(
        models=['t2t_14', 'pvt_s'],
        step=['forward'],
        engine=['eager'],
        precision=['float32'],
        size=[(224, 224)],
        batch=[8],
    )
    found = list(parts.rows(options, SOURCES))
    assert found == [('ours:t2t_14', 'ours:aug_t2t_14'), ('ours:pvt_s', 'ours:aug_pvt_s')]
    options.models = []
    assert list(parts.rows(options, SOURCES)) == list(GROUPS)
    options.models = ['aug_pvt_s']
    with pytest.raises(InputError, match='aug_pvt_s: not a host of the suite; it has deit_s'):
        list(parts.rows(options, SOURCES))
