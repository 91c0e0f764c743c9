"""Suites name models that can be built, each group by its host."""

from functools import partial

import pytest

from vitbackbones.analysis.complexity import count
from vitbackbones.benchmarking.model_sources import SOURCES, build_model
from vitbackbones.benchmarking.suites import SUITES, suite_rows
from vitbackbones.benchmarking.suites.parts import GROUPS


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
