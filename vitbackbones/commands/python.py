"""``vitbackbones.train`` and ``vitbackbones.test``: the commands as Python functions.

Options are read as the command line is, so that checks and messages are the same.
"""

from argparse import Namespace
from collections.abc import Mapping
from inspect import signature
from pathlib import Path
from typing import Any, NoReturn

from ..errors import InputError
from ..running.evaluate import run_test
from ..running.process_state import run_of_a_call
from ..running.request import TestRequest, TrainRequest, option_name, values_in_words
from ..running.result import TestResult, TrainResult
from ..running.train import run_training
from .main import Parser, verb_parser


def train(config: str | Path, **options: Any) -> TrainResult:
    """Train a model, as ``vitbackbones train`` does.

    Args:
        config: name or file of a config.
        options: of the command, with ``_`` in place of ``-``, such as ``data_root='data'``,
            ``steps=500``, ``resume=True`` or ``cfg_options={'train_cfg.val_interval': 100}``.

    Returns:
        TrainResult: work dir, metrics and checkpoints.

    Raises:
        InputError: something is wrong with the config, the data or an option.
        TrainingInterrupted: on Ctrl-C, after a checkpoint was saved.

    >>> run = vitbackbones.train('quick_detector', data_root='my_images')  # doctest: +SKIP
    >>> vitbackbones.test('quick_detector', run.best, data_root='my_images')  # doctest: +SKIP
    """
    with run_of_a_call(['vitbackbones', 'train', *_words([config], options)]):
        return run_training(TrainRequest(**_parsed('train', [config], options)))


def test(config: str | Path, checkpoint: str | Path, **options: Any) -> TestResult:
    """Test a checkpoint, as ``vitbackbones test`` does.

    Args:
        config: name or file of a config.
        checkpoint: a file, a work dir for its latest, ``WORK_DIR/best``, or an exported file.
        options: of the command, with ``_`` in place of ``-``, such as ``data_root='data'`` or
            ``report='page'``.

    Returns:
        TestResult: the metrics, and what was written.

    Raises:
        InputError: something is wrong with the config, the checkpoint, the data or an option.
    """
    with run_of_a_call(['vitbackbones', 'test', *_words([config, checkpoint], options)]):
        return run_test(TestRequest(**_parsed('test', [config, checkpoint], options)))


train.__signature__ = signature(TrainRequest).replace(return_annotation=TrainResult)
test.__signature__ = signature(TestRequest).replace(return_annotation=TestResult)
test.__test__ = False  # for pytest, of whoever imports it


class _CallParser(Parser):
    """Raises its errors, and prints no help: Python goes on."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, add_help=False)

    def error(self, message: str) -> NoReturn:
        raise InputError(message)


def _words(positional: list, options: dict[str, Any]) -> list[str]:
    """Return the command line of a call."""
    words = [str(each) for each in positional]
    for name, value in options.items():
        if value is not None and value is not False and value not in ((), [], {}):
            words += [option_name(name), *values_in_words(value)]
    return words


def _parsed(verb: str, positional: list, options: dict[str, Any]) -> dict[str, Any]:
    named = dict(options)
    changes = named.pop('cfg_options', None) or {}  # which need not be read from text
    if not isinstance(changes, Mapping):
        raise InputError(f'cfg_options={changes!r}: must be a dict from keys to settings')
    given = Namespace(cfg_options=dict(changes))
    return vars(verb_parser(verb, _CallParser).parse_args(_words(positional, named), given))
