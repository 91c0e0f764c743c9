"""The tools as a user calls them, in this process where a new one is not the point."""

import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from vitbackbones.commands.ending import run
from vitbackbones.commands.main import run_verb
from vitbackbones.datasets import shapes
from vitbackbones.verbs import SCRIPTS

from ..isolation import process_of_its_own

ROOT = Path(__file__).parents[2]
TINY = Path(__file__).with_name('tiny_detr.py')
TINY_SEG = Path(__file__).with_name('tiny_seg.py')
TINY_CLS = Path(__file__).with_name('tiny_cls.py')


def load_tool(name):
    """Import a tool as if it were run, which finds the modules beside it."""
    spec = importlib.util.spec_from_file_location(f'tool_{name}', ROOT / 'tools' / f'{name}.py')
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / 'tools')
        spec.loader.exec_module(module)
    return module


@pytest.fixture
def tool(monkeypatch, capsys, tmp_path):
    """``tool('train', CONFIG, ...)`` runs a tool in an empty directory and returns what it said."""
    monkeypatch.chdir(tmp_path)

    def call(name, *arguments):
        words = [*map(str, arguments)]
        monkeypatch.setattr(sys, 'argv', [f'tools/{name}.py', *words])
        with process_of_its_own():
            script = name in SCRIPTS
            status = run_verb(SCRIPTS[name], words) if script else run(load_tool(name).main)
        return SimpleNamespace(status=status, **capsys.readouterr()._asdict())

    return call


@pytest.fixture(scope='session')
def data(tmp_path_factory):
    """Eight training and four validation images of 64 x 64."""
    return shapes.write(tmp_path_factory.mktemp('data'), train=8, val=4, size=64)


@pytest.fixture(scope='session')
def folders(tmp_path_factory):
    """Six training and three validation images of 48 x 48, one shape each."""
    root = tmp_path_factory.mktemp('folders')
    return shapes.write(root, train=6, val=3, size=48, layout='folders')
