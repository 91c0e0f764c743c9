"""The way from a config file to a run, as a list of named steps.

Each step gets a config and returns the next one, so that the order in which a config changes
stands in one place, the table of a command, and ``--explain`` can print what each step changes.
"""

from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import indent
from typing import Any

from mmengine.config import Config

from ..errors import InputError
from ..utils.messages import cut
from ..utils.processes import process_rank
from .settings import entries

INDENT = 5 * ' '


@dataclass(frozen=True)
class Step:
    """A line of the table.

    Attributes:
        name: what it is about.
        purpose: one line, for ``--explain``; the option behind it stands at the end.
        take: is given the config and the options of the command line and changes neither. It
            returns a changed copy of the config; None from a step that only checks or acts.
        acts: it does something outside of the config: it writes files, or joins processes.
        needed: the steps after it make no sense of a config that it refuses.
    """

    name: str
    purpose: str
    take: Callable[[Config, Namespace], Config | None]
    acts: bool = False
    needed: bool = False


def take_steps(config: Config, steps: Sequence[Step], options: Namespace) -> Config:
    """Take the steps one after another and return the last config."""
    for step in steps:
        changed = step.take(config, options)
        config = config if changed is None else changed
    return config


def explain_steps(config: Config, steps: Sequence[Step], options: Namespace) -> None:
    """Print what each step changes, and leave out those that act outside of the config.

    A step without a line below it changes nothing. One that fails is named with its message. Unless
    it is needed, the next one gets the config as it was. Of several processes the first explains.

    Raises:
        InputError: how many steps have failed.
    """
    if process_rank():
        return
    failed = 0
    for number, step in enumerate(steps, start=1):
        acts = ' (skipped here)' if step.acts else ''
        print(f'{number:2} {step.name}: {step.purpose}{acts}', flush=True)  # warnings may follow
        try:
            changed = None if step.acts else step.take(config, options)
        except InputError as error:
            failed += 1
            print(indent(f'error: {error}', INDENT))
            if step.needed:
                break
            continue
        if changed is not None:
            for line in differences(config, changed):
                print(indent(line, INDENT))
            config = changed
    if failed:
        raise InputError(f'{failed} of {len(steps)} steps failed, see above')


def differences(old: Any, new: Any, key: str = '') -> Iterator[str]:
    """Yield a line for each key that was added, removed or changed between two configs.

    >>> list(differences({'a': 1, 'b': {'c': 2}}, {'b': {'c': 3}, 'd': [4]}))
    ['- a: 1', 'b.c: 2 -> 3', '+ d: [4]']
    """
    before, after = dict(entries(old)), dict(entries(new))
    if key and not (before and after):
        if old != new:
            yield f'{key}: {_shown(old)} -> {_shown(new)}'
        return
    for name in [*before, *(name for name in after if name not in before)]:
        place = f'{key}.{name}' if key else name
        if name not in after:
            yield f'- {place}: {_shown(before[name])}'
        elif name not in before:
            yield f'+ {place}: {_shown(after[name])}'
        else:
            yield from differences(before[name], after[name], place)


def _shown(value: Any) -> str:
    """Show a text, which may be a path, as a whole, and anything else cut."""
    return repr(value) if isinstance(value, str) else cut(value)
