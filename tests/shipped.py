"""The shipped run configs, each of which a process reads once, and what papers print of them."""

import ast
import copy
import re
from functools import cache

from mmengine.config import Config

from vitbackbones.configuration.names import config_files
from vitbackbones.configuration.read import read_config

from .commands.conftest import load_tool

NAMES = [*config_files()]
PRINTED = load_tool('site/papers')


def shipped(name: str) -> Config:
    """Return a run config, which the test may change."""
    return copy.deepcopy(_read(name))


@cache
def _read(name: str) -> Config:
    return read_config(config_files()[name])


def own_settings(name: str) -> dict[str, dict[str, str]]:
    """Return what a run config sets itself: the text of each part, by names of setting and part."""
    tree = ast.parse(config_files()[name].read_text())
    calls = {node.targets[0].id: node.value for node in tree.body if isinstance(node, ast.Assign)}
    del calls['_base_']
    return {
        key: {part.arg: ast.unparse(part.value) for part in getattr(call, 'keywords', ())}
        for key, call in calls.items()
    }


def header(name: str) -> str:
    """Return what a run config says of itself."""
    return ast.get_docstring(ast.parse(config_files()[name].read_text()))


def numbers(text: str, start: str) -> list[str]:
    """Return the decimals of the lines that start so, up to the words about them in parentheses."""
    lines = [line.partition(' (')[0] for line in text.splitlines() if line.startswith(start)]
    return re.findall(r'\d+\.\d+', ' '.join(lines))
