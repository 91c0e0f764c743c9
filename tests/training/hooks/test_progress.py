"""Bars on a terminal, none elsewhere."""

import io
import re
import sys
import time

import pytest
from mmengine.hooks import Hook
from mmengine.registry import HOOKS

from vitbackbones.utils.messages import on_terminal

from ..toy import by_iteration, run_toy, toy_config

BARS = {'type': 'vitbackbones.ProgressHook'}


@HOOKS.register_module()
class Slow(Hook):
    """Makes iterations longer than the time between two drawings of a bar."""

    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None):
        time.sleep(0.11)

    after_val_iter = after_train_iter


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def draw(monkeypatch):
    """Runs a config with a terminal as stdout and returns what was drawn on it."""

    def run(config):
        screen = Terminal()
        monkeypatch.setattr(sys, 'stdout', screen)
        run_toy(config)
        monkeypatch.undo()
        return screen.getvalue()

    return run


@pytest.mark.parametrize('changes', [{}, by_iteration(12)], ids=['epochs', 'iterations'])
def test_training_and_evaluation_on_a_terminal(tmp_path, draw, changes):
    drawn = draw(toy_config(tmp_path, custom_hooks=[BARS, {'type': 'Slow'}], **changes))
    assert re.search(r'train: +\d+%.* \d+/12 .*loss \d+\.\d{3}, lr \d\.\de-\d\d', drawn)
    assert re.search(r'evaluate: +\d+%.* [1-4]/4 ', drawn)
    assert re.search(r'\[\d\d:\d\d<\d\d:\d\d', drawn)  # elapsed and left


def test_nothing_is_drawn_elsewhere(tmp_path, capsys):
    assert not on_terminal()
    run_toy(toy_config(tmp_path, custom_hooks=[BARS]))
    captured = capsys.readouterr()
    assert 'train:' not in captured.out + captured.err
    assert 'it/s' not in captured.out + captured.err


def test_a_resumed_run_starts_where_it_is(tmp_path, draw):
    run_toy(toy_config(tmp_path))
    options = {'resume': True, 'load_from': str(tmp_path / 'epoch_2.pth')}
    drawn = draw(toy_config(tmp_path, custom_hooks=[BARS], **options))
    assert re.search(r'train: +67%.* 8/12 ', drawn)
