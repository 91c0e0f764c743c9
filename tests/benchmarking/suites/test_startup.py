"""What the beginning of runs takes becomes rows: medians of parts, then packages."""

import json
from argparse import Namespace
from types import SimpleNamespace

import pytest

from vitbackbones.benchmarking.suites import startup
from vitbackbones.errors import InputError

IMPORTS = """import time: self [us] | cumulative | imported package
import time:      1500 |       1500 |     torch._C
import time:      2500 |       4000 |   torch
a line of something else
import time:      1000 |       5000 | mmengine.config
"""


def test_parts_are_medians_of_runs_in_turns_and_packages_are_sums(monkeypatch):
    called = []

    def run(name, data, *flags):
        called.append((name, *flags))
        assert any(data.rglob('*.png')) or any(data.rglob('*.jpg'))
        parts = {'config': float(len(called)), 'first step': 0.25, 'later steps': 1.0}
        return SimpleNamespace(stdout=f'a log\n{json.dumps(parts)}\n', stderr=IMPORTS)

    monkeypatch.setattr(startup, '_run', run)
    small = {'train': 2, 'val': 2, 'size': 32}
    monkeypatch.setattr(startup, 'CONFIGS', {'a': small, 'b': {**small, 'layout': 'folders'}})
    rows = [tuple(row.values()) for row in startup.rows(Namespace(repeats=3), {})]
    flags = ('-X', 'importtime')
    assert called == [*3 * [('a',), ('b',)], ('a', *flags), ('b', *flags)]
    assert rows[:5] == [
        ('a', 'command to first step', 3.25),
        ('a', 'config', 3.0),  # of 1, 3, 5
        ('a', 'first step', 0.25),
        ('a', 'later steps', 1.0),
        ('b', 'command to first step', 4.25),
    ]
    assert rows[8:10] == [('a', 'import: torch', 0.004), ('a', 'import: mmengine', 0.001)]


def test_a_run_that_fails_is_one_message(monkeypatch, tmp_path):
    monkeypatch.setattr(startup, 'CHILD', 'vitbackbones.no_such_module')
    with pytest.raises(InputError, match=r'x: the run ended with\n.*no_such_module'):
        startup._run('x', tmp_path)
