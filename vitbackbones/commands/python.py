"""``vitbackbones.train`` and ``vitbackbones.test``: the commands as Python functions.

Options are read as the command line is, so that checks and messages are the same.
"""

import re
from argparse import Action, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any, NoReturn

from ..errors import InputError
from ..running.evaluate import run_test
from ..running.process_state import run_of_a_call
from ..running.request import RunRequest, TestRequest, TrainRequest, option_name, words_of
from ..running.result import TestResult, TrainResult
from ..running.train import run_training
from ..utils.rules import DICT, FLAG, Rule, is_number
from .main import Parser, verb_parser

OPTION = re.compile(r'(?<![\w-])--[a-z][\w-]*')
PLACE = Rule('a name or a path', lambda x: isinstance(x, str | Path) and bool(str(x)))
VALUE = Rule('one value', lambda x: isinstance(x, str | Path) or is_number(x))
SEVERAL = Rule('a list of values', lambda x: isinstance(x, list | tuple))


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
    with words_of_python(TrainRequest):
        request = TrainRequest(**_parsed('train', {'config': config}, options))
        with run_of_a_call(['vitbackbones', 'train', str(config), *words_of(options)]):
            return run_training(request)


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
    with words_of_python(TestRequest):
        named = {'config': config, 'checkpoint': checkpoint}
        request = TestRequest(**_parsed('test', named, options))
        with run_of_a_call(['vitbackbones', 'test', *map(str, named.values()), *words_of(options)]):
            return run_test(request)


def _signature(request: type[RunRequest], result: type) -> Signature:
    """Return what editors show: the fields of a request, and ``backbone``."""
    backbone = Parameter('backbone', Parameter.KEYWORD_ONLY, default=None, annotation='str | None')
    own = signature(request)
    return own.replace(parameters=[*own.parameters.values(), backbone], return_annotation=result)


train.__signature__ = _signature(TrainRequest, TrainResult)
test.__signature__ = _signature(TestRequest, TestResult)
test.__test__ = False  # for pytest, of whoever imports it


class _CallParser(Parser):
    """Raises its errors, and prints no help: Python goes on."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, add_help=False)

    def error(self, message: str) -> NoReturn:
        raise InputError(message)


@contextmanager
def words_of_python(request: type[RunRequest]) -> Iterator[None]:
    """Say in an error what an option of the command line is called in Python."""
    try:
        yield
    except InputError as error:
        known = {option_name(each.name): each.name for each in fields(request)}
        named = dict.fromkeys(word for word in OPTION.findall(str(error)) if word in known)
        if not named:
            raise
        hint = ', '.join(f'{option} is {known[option]}=...' for option in named)
        raise InputError(f'{error} (In Python, {hint})') from error


def _parsed(verb: str, positional: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a request.

    Raises:
        InputError: a value is of another kind than its option takes.
    """
    for name, value in positional.items():
        PLACE.require(name, value)
    named = dict(options)
    changes = named.pop('cfg_options', None) or {}  # which need not be read from text
    DICT.require('cfg_options', changes)
    parser = verb_parser(verb, _CallParser)
    actions = {option: action for action in parser._actions for option in action.option_strings}
    for name, value in named.items():
        if value is not None and (action := actions.get(option_name(name))):
            _rule_of(action).require(name, value)
    given = Namespace(cfg_options=dict(changes))
    words = [*map(str, positional.values()), *words_of(named)]
    return vars(parser.parse_args(words, given))


def _rule_of(action: Action) -> Rule:
    """Return what the value of an option is in Python, before it is read as on a command line."""
    if action.nargs == 0:
        return FLAG
    if action.nargs == '?':  # alone, or with a value
        return PLACE | FLAG
    return SEVERAL | VALUE if action.nargs else VALUE
