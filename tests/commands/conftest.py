"""The verbs as a user calls them, in this process where a new one is not the point."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from vitbackbones.commands.main import run_verb
from vitbackbones.data import shapes
from vitbackbones.runtime.runtimes import is_exported

from ..isolation import process_of_its_own

ROOT = Path(__file__).parents[2]
TINY = Path(__file__).with_name('tiny_detr.py')
TINY_SEG = Path(__file__).with_name('tiny_seg.py')
TINY_CLS = Path(__file__).with_name('tiny_cls.py')
PATIENCE = 300  # seconds, on a busy machine


def load_tool(name):
    """Import a script of ``tools/`` as if it were run, which finds the modules beside it."""
    file = ROOT / 'tools' / f'{name}.py'
    spec = importlib.util.spec_from_file_location(f'tool_{file.stem}', file)
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(file.parent)
        spec.loader.exec_module(module)
    return module


def in_torch(verb, *arguments):
    """A command line; a model that predicts stays in torch, as exporting one takes half a minute.

    ``tests/inference/test_graphs.py`` has the other runtimes.
    """
    words = [*map(str, arguments)]
    if verb == 'predict' and '--runtime' not in words and not is_exported(words[0]):
        words += ['--runtime', 'torch']
    return words


@pytest.fixture
def tool(monkeypatch, capsys, tmp_path):
    """``tool('train', CONFIG, ...)`` runs a verb in an empty directory and returns what it said."""
    monkeypatch.chdir(tmp_path)

    def call(verb, *arguments):
        words = in_torch(verb, *arguments)
        monkeypatch.setattr(sys, 'argv', ['vitbackbones', verb, *words])
        with process_of_its_own():
            status = run_verb(verb, words)
        return SimpleNamespace(status=status, **capsys.readouterr()._asdict())

    return call


@pytest.fixture
def run(tool):
    """As ``tool``, for what must succeed."""

    def call(*arguments):
        result = tool(*arguments)
        assert result.status == 0, result.out + result.err
        return result

    return call


def without_threads():
    """The environment of a user who has chosen no number of threads."""
    return {name: value for name, value in os.environ.items() if name != 'OMP_NUM_THREADS'}


@pytest.fixture
def command(tmp_path):
    """As ``run``, in a process of its own, with as many threads as the machine has."""

    def call(verb, *arguments):
        words = [sys.executable, '-m', 'vitbackbones', verb, *in_torch(verb, *arguments)]
        settings = {'env': without_threads(), 'cwd': tmp_path, 'timeout': PATIENCE}
        done = subprocess.run(words, capture_output=True, text=True, **settings)
        assert done.returncode == 0, done.stdout + done.stderr
        return SimpleNamespace(out=done.stdout, err=done.stderr)

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
