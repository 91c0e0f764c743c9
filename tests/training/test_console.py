"""The screen shows what matters, the log file everything."""

import logging

import pytest
from mmengine.hooks import Hook
from mmengine.registry import HOOKS

from vitbackbones.preparing.hooks import GUARDS, add_guards
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
        runner.logger.info('paramwise_options -- a:lr=1')
        runner.logger.warning('a.b is duplicate. It is skipped since bypass_duplicate=True')
        runner.logger.info('\n+---+\n| 1 |\n+---+')
        runner.logger.warning('a warning\nof two lines')


def test_the_log_file_is_complete_and_the_screen_is_short(tmp_path, capsys):
    run_toy(toy_config(tmp_path, custom_hooks=[{'type': 'Talking'}]))
    shown = capsys.readouterr().out
    (log,) = tmp_path.glob('*/*.log')
    for text in ('System environment', 'Hooks will be executed', 'a dump', 'Epoch(train)'):
        assert text in log.read_text()
    boring = ('System environment', 'Hooks will be executed', 'a dump', 'paramwise_options')
    for text in (*boring, 'is duplicate'):
        assert text not in shown
    for text in ('one line', '| 1 |', 'warning: a warning\nof two lines', 'toy/error'):
        assert text in shown
    assert MAIN in shown
    assert LINE in log.read_text()
    assert len(shown.splitlines()) < 50


def test_the_first_step_is_shown_at_once(tmp_path, capsys):
    config = toy_config(tmp_path, default_hooks={'logger': {'type': 'LoggerHook', 'interval': 99}})
    runner = console.QuietRunner.from_cfg(config)
    runner.register_hook(console.FirstStepHook())
    runner.train()
    steps = [line for line in capsys.readouterr().out.splitlines() if 'Epoch(train)' in line]
    assert ['[1/4]' in line for line in steps] == [True, False, False, False]  # ends of epochs


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


@pytest.mark.parametrize(
    ('message', 'expected'),
    [
        ('base_lr: 1e-04 lr: 1e-05  loss: 3', 'base_lr: 1e-04 lr: 1e-05  loss: 3'),  # two rates
        ('| a\tb\r\x1b[31m é │', '| a\tb\\r\\x1b[31m é │'),  # what a terminal would obey
    ],
)
def test_what_is_shown_of_a_line(message, expected):
    record = logging.LogRecord('x', logging.INFO, 'f.py', 1, message, (), None)
    _, _, shown = console._ForTheScreen().format(record).split(' ', 2)
    assert shown == expected


OUT = {'timer', *GUARDS}  # one of mmengine's, and ours


def test_none_takes_a_default_hook_out(tmp_path):
    config = toy_config(tmp_path, default_hooks=dict.fromkeys(OUT))
    runner = console.QuietRunner.from_cfg(add_guards(config))
    kinds = {type(hook).__name__ for hook in runner.hooks}
    assert kinds.isdisjoint({'IterTimerHook', *GUARDS.values()})
    assert 'ParamSchedulerHook' in kinds
    assert runner.cfg.default_hooks.curves is None  # a resumed run reads it from the dump
