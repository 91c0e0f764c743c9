"""A value is refused where a signature leaves no doubt, and nowhere else."""

from collections.abc import Sequence
from typing import Any, Literal

import pytest
from mmengine.config import ConfigDict

from vitbackbones.configuration.value_types import wanted_instead

OURS = 'vitbackbones.made_up'  # the module of a class of this package, whose annotations are exact


class Base:
    def __init__(self, rate: float = 0.1, sizes: Sequence[int] = (1,), bare=3, free='a'):
        pass


class Part(Base):
    def __init__(
        self,
        width: int,
        config: ConfigDict | dict | None = None,
        name: str | None = None,
        mode: Literal['a', 'b'] = 'a',
        anything: Any = 1,
        either: int | Base = 1,
        quoted: 'NotThere' = 1,  # noqa: F821
        **options,
    ):
        super().__init__(**options)


class Readable(Part):
    def __init__(
        self, width: int, config: dict | None = None, flag: bool = True, either: int | Base = 1
    ):
        pass


@pytest.mark.parametrize(
    ('keyword', 'value', 'own', 'wanted'),
    [
        ('width', 'x', False, 'a whole number'),
        ('width', {'a': 1}, False, 'a whole number'),
        ('width', 3, True, ''),
        ('width', 1.5, False, ''),
        ('width', 1.5, True, 'a whole number'),
        ('width', [1, 2], False, ''),
        ('width', [1, 2], True, 'a whole number'),
        ('width', None, False, ''),
        ('width', int, True, ''),
        ('config', 3, False, 'a dict or None'),
        ('config', 'x', False, 'a dict or None'),
        ('config', [{}], False, ''),
        ('config', None, True, ''),
        ('config', ConfigDict(), True, ''),
        ('flag', 'x', False, 'True or False'),
        ('flag', 1, True, ''),
        ('either', 'x', True, ''),
        ('no_such', 'x', True, ''),
    ],
)
def test_values(keyword, value, own, wanted, monkeypatch):
    if own:
        monkeypatch.setattr(Readable, '__module__', OURS)
    assert wanted_instead(Readable, keyword, value) == wanted


@pytest.mark.parametrize(
    ('keyword', 'value', 'wanted'),
    [
        ('rate', 'x', 'a number'),
        ('rate', True, ''),
        ('sizes', 3, 'a list'),
        ('bare', 'x', 'a number'),
        ('bare', [1], ''),
        ('free', 3, ''),
    ],
)
def test_arguments_of_a_base(keyword, value, wanted, monkeypatch):
    monkeypatch.setattr(Base, '__module__', OURS)
    assert wanted_instead(Base, keyword, value) == wanted


def test_annotations_that_cannot_be_resolved():
    assert wanted_instead(Part, 'width', 'x') == ''


def test_functions():
    def build(mode: Literal['a', 'b'], count: int):
        pass

    assert wanted_instead(build, 'count', 'x') == 'a whole number'
    build.__module__ = OURS
    assert wanted_instead(build, 'mode', [1]) == 'a string'
