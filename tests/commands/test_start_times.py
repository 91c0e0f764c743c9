"""The clock of a run's beginning: every step of tools/train.py has its time, and evaluation too."""

import time

from vitbackbones.commands import start_times
from vitbackbones.commands.train import TRAIN, TRAIN_SETTINGS

from ..isolation import process_of_its_own
from ..tools.conftest import TINY_CLS, folders  # noqa: F401  a fixture


def test_each_part_has_its_seconds_and_they_add_up(folders, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setattr(start_times, 'STEPS', 2)
    began = time.time()
    with process_of_its_own():
        clock = start_times.Clock(began - 1)
        parts = start_times.measure(TINY_CLS, str(folders), str(tmp_path / 'run'), clock)
    steps = [f'step: {step.name}' for step in (*TRAIN_SETTINGS, *TRAIN)]
    assert [*parts] == [
        *('Python and imports', 'config', *steps, 'model, runner'),
        *('data sets, optimizer, first batch', 'first step', 'later steps'),
        *('evaluation: answers', 'evaluation: metric'),
    ]
    assert min(parts.values()) >= 0
    assert 1 <= parts['Python and imports'] < 1 + time.time() - began
    assert sum(parts.values()) <= 1 + time.time() - began
    assert not list(tmp_path.glob('run/*.pth'))  # it ended before the first checkpoint
