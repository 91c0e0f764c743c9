"""The screen shows what matters, the log file everything."""

import logging
import sys

import pytest
from mmengine.hooks import Hook
from mmengine.registry import HOOKS

from vitbackbones.training import console

from .toy import run_toy, toy_config

pytestmark = pytest.mark.compat


@HOOKS.register_module()
class Talking(Hook):
    def before_train(self, runner):
        runner.logger.info('one line')
        runner.logger.info('loss: 3.0  cls: 1.0  d0.cls: 1.0  aux.1.acc_seg: 7.5  time: 1')
        runner.logger.info('a dump\nof two lines')
        runner.logger.info('\n+---+\n| 1 |\n+---+')
        runner.logger.warning('a warning\nof two lines')


def test_the_log_file_is_complete_and_the_screen_is_short(tmp_path, capsys):
    run_toy(toy_config(tmp_path, custom_hooks=[{'type': 'Talking'}]))
    shown = capsys.readouterr().out
    (log,) = tmp_path.glob('*/*.log')
    for text in ('System environment', 'Hooks will be executed', 'a dump', 'Epoch(train)'):
        assert text in log.read_text()
    for text in ('System environment', 'Hooks will be executed', 'a dump'):
        assert text not in shown
    for text in ('one line', '| 1 |', 'a warning\nof two lines', 'Epoch(train)', 'toy/error'):
        assert text in shown
    assert 'loss: 3.0  cls: 1.0  time: 1' in shown
    assert 'd0.cls: 1.0  aux.1.acc_seg: 7.5' in log.read_text()
    assert len(shown.splitlines()) < 50


def test_lines_of_the_bars_are_left_to_them(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(console, 'on_terminal', lambda: True)
    run_toy(toy_config(tmp_path))
    shown = capsys.readouterr().out
    assert 'Epoch(train)' not in shown
    assert 'toy/error' in shown


@pytest.mark.parametrize('message', ['Exp name: x', 'paramwise_options -- a:lr=1'])
def test_boilerplate(message):
    record = logging.LogRecord('x', logging.INFO, 'f.py', 1, message, (), None)
    assert not console._worth_showing(record)


def test_lines_go_above_the_bars(capsys):
    stream = console._AboveBars()
    stream.write('text\n')
    stream.flush()
    assert capsys.readouterr().out == 'text\n'
    assert sys.stdout is not stream
