"""The way from a config to a run, step by step, and its explanation."""

from dataclasses import replace

import pytest
from mmengine.config import Config

from vitbackbones.configuration.steps import Step, differences, explain_steps, take_steps
from vitbackbones.errors import InputError


def renamed(config, options):
    return Config({**config, 'name': options})


def refused(config, options):
    raise InputError('no such\nname')


acted = []
RENAME = Step('name', 'is that of the options', renamed)
CHECK = Step('check', 'finds nothing', lambda config, options: None)
REFUSE = Step('refusal', 'always', refused)
ACT = Step('act', 'leaves a trace', lambda config, options: acted.append(options), acts=True)


def test_each_step_gets_the_config_of_the_one_before():
    last = take_steps(Config({'a': 1}), (CHECK, RENAME, CHECK), 'x')
    assert last.to_dict() == {'a': 1, 'name': 'x'}
    with pytest.raises(InputError, match='no such'):
        take_steps(Config({}), (REFUSE, RENAME), 'x')


def test_an_explanation_takes_no_step_outside_of_the_config_and_goes_on_after_a_refusal(capsys):
    acted.clear()
    with pytest.raises(InputError, match='1 of 5 steps failed, see above'):
        explain_steps(Config({'name': 'x'}), (REFUSE, ACT, RENAME, RENAME, CHECK), 'y')
    assert not acted
    assert capsys.readouterr().out.splitlines() == [
        ' 1 refusal: always',
        '     error: no such',
        '     name',
        ' 2 act: leaves a trace (skipped here)',
        ' 3 name: is that of the options',
        "     name: 'x' -> 'y'",
        ' 4 name: is that of the options',
        ' 5 check: finds nothing',
    ]
    explain_steps(Config({}), (CHECK,), None)
    capsys.readouterr()
    with pytest.raises(InputError, match='1 of 2 steps failed'):
        explain_steps(Config({}), (replace(REFUSE, needed=True), RENAME), 'y')
    assert 'name: is that' not in capsys.readouterr().out


@pytest.mark.parametrize(
    ('old', 'new', 'lines'),
    [
        ({'a': {'b': [1, {'c': 2}]}}, {'a': {'b': [1, {'c': 3}]}}, ['a.b.1.c: 2 -> 3']),
        ({'a': [1]}, {'a': [1, {'c': 3}]}, ["+ a.1: {'c': 3}"]),
        ({'a': {'b': 1}, 'c': 2}, {'c': 2}, ["- a: {'b': 1}"]),
        ({'a': None}, {'a': {'b': 1}}, ["a: None -> {'b': 1}"]),
        ({'a': (1, 2)}, {'a': [1, 3]}, ['a.1: 2 -> 3']),
        ({}, {'a': 'x' * 100}, [f"+ a: '{'x' * 100}'"]),  # a path, say
        ({'a': {'b': ()}}, {'a': {'b': ()}}, []),
    ],
)
def test_what_differs_is_named_by_its_key(old, new, lines):
    assert list(differences(Config(old), Config(new))) == lines
