"""The screen shows what matters, the log file everything."""

import logging
import sys

import pytest
from mmengine.hooks import Hook
from mmengine.registry import HOOKS

from vitbackbones.training import console

from .toy import run_toy, toy_config

pytestmark = pytest.mark.compat
LINE = (
    'Epoch(train) [1][2/6]  base_lr: 1.0e-04 lr: 1.0e-04  eta: 0:00:01  time: 0.2  data_time: 0.1  '
    'memory: 9  grad_norm: 4.6  loss: 20.5  loss_cls: 1.5  d0.loss_cls: 1.0  decode.loss_ce: 1.1  '
    'decode.d0.loss_ce: 1.2  aux.1.acc_seg: 7.5  aux_0.loss_ce: 2.5  enc_loss_cls: 1.3  '
    'dn_loss_iou: 1.4  d1.dn_loss_iou: 1.4'
)
MAIN = (
    'Epoch(train) [1][2/6]  lr: 1.0e-04  eta: 0:00:01  time: 0.2  memory: 9  loss: 20.5  '
    'loss_cls: 1.5  decode.loss_ce: 1.1\n'
)


@HOOKS.register_module()
class Talking(Hook):
    def before_train(self, runner):
        runner.logger.info('one line')
        runner.logger.info(LINE)
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
    assert MAIN in shown
    assert LINE in log.read_text()
    assert len(shown.splitlines()) < 50


def test_the_metrics_of_a_test_are_left_to_the_table(tmp_path, capsys):
    config = toy_config(tmp_path)
    config.update(test_dataloader=config.val_dataloader, test_cfg={})
    config.test_evaluator = config.val_evaluator
    run_toy(config, test=True)
    shown = capsys.readouterr().out
    assert 'Epoch(test) [4/4]  ' in shown
    assert 'toy/error' not in shown
    (log,) = tmp_path.glob('*/*.log')
    assert 'toy/error' in log.read_text()


def test_two_rates_are_both_shown():
    rates = 'base_lr: 1.0e-04 lr: 1.0e-05  loss: 3.0'
    assert console.SIDE_VALUES.sub('', rates) == rates


def test_a_level_is_shown_where_it_is_no_information():
    lines = [
        console._ForTheScreen().format(logging.LogRecord('x', level, 'f.py', 1, 'it', (), None))
        for level in (logging.INFO, logging.WARNING, logging.ERROR)
    ]
    assert [line.split(' ', 2)[2] for line in lines] == ['it', 'warning: it', 'error: it']


def test_what_a_terminal_would_obey_is_shown():
    table = '\n+---+\n| a\tb\r\x1b[31m é │\n+---+'
    record = logging.LogRecord('x', logging.INFO, 'f.py', 1, table, (), None)
    shown = console._ForTheScreen().format(record)
    assert shown.partition('\n')[2] == '+---+\n| a\tb\\r\\x1b[31m é │\n+---+'


def test_lines_of_the_bars_are_left_to_them(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(console, 'on_terminal', lambda: True)
    run_toy(toy_config(tmp_path))
    shown = capsys.readouterr().out
    assert 'Epoch(train)' not in shown
    assert 'toy/error' in shown


@pytest.mark.parametrize(
    'message',
    ['Exp name: x', 'paramwise_options -- a:lr=1', ' Average Precision  (AP) @[ IoU=0.50'],
)
def test_boilerplate(message):
    record = logging.LogRecord('x', logging.INFO, 'f.py', 1, message, (), None)
    assert not console._worth_showing(record)


def test_lines_go_above_the_bars(capsys):
    stream = console._AboveBars()
    stream.write('text\n')
    stream.flush()
    assert capsys.readouterr().out == 'text\n'
    assert sys.stdout is not stream
