"""Shared by all tests: the same result in any order, in any clone, on any machine."""

import gc
import logging
import os
import signal
from pathlib import Path

import pytest
import torch

import vitbackbones
from vitbackbones.backbones.names import MODELS
from vitbackbones.configuration import names
from vitbackbones.utils.process_settings import sleep_soon
from vitbackbones.utils.processes import SIGNALS

from .isolation import SharedState, forget_handler, seed_generators

logging.raiseExceptions = False  # loggers keep the closed streams of earlier tests
sleep_soon(os.environ)  # as the command does
# processes that a test starts import this clone too, not the one that is installed
ROOT = Path(__file__).parents[1]
os.environ['PYTHONPATH'] = str(ROOT)
torch.set_num_threads(1)
STATE = pytest.StashKey[SharedState]()


def pytest_collection_finish():
    """Leave what was imported out of collections, of which mmengine makes one for a data set."""
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    """Note the shared state before any fixture, also one of a module, can change it."""
    item.stash[STATE] = SharedState()
    seed_generators()
    yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item):
    """Put back what OpenMMLab changed; fail a test that leaves other changes behind."""
    yield
    state = item.stash[STATE]
    state.put_back()
    left = state.changed()
    assert not left, f'this test, or a fixture of it, leaves changed: {", ".join(left)}'


@pytest.fixture(autouse=True)
def _seeded():
    """Draw the same where a fixture of the module has drawn before the first of its tests."""
    seed_generators()


@pytest.fixture(autouse=True)
def _empty_clone(monkeypatch, tmp_path_factory):
    """Look up relative paths in an empty folder, not in a clone with a user's data and runs."""
    if names.CLONE is not None:
        monkeypatch.setattr(names, 'CLONE', tmp_path_factory.getbasetemp())


@pytest.fixture(autouse=True)
def _signals():
    """Give signals back to who had them: a run that is killed in a test cannot."""
    numbers = (*SIGNALS, signal.SIGCHLD, signal.SIGALRM)
    before = {number: signal.getsignal(number) for number in numbers}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
    forget_handler()


# one name for every backbone class, the first (smallest) of its family
REPRESENTATIVES = list({entry[0]: name for name, entry in reversed(MODELS.items())}.values())


def shallow(cls):
    """Return the first variant of a class's table with few blocks and a quarter of its widths."""
    arch = dict(next(iter(cls.archs.values())))
    if 'depth' in arch:
        arch['depth'] = 2
    if 'depths' in arch:
        arch['depths'] = tuple(1 for _ in arch['depths'])
    for key in {'embed_dims', 'stem_dims', 'token_dims'} & arch.keys():
        widths = arch[key]
        arch[key] = tuple(w // 4 for w in widths) if isinstance(widths, tuple) else widths // 4
    return arch


@pytest.fixture(params=sorted(REPRESENTATIVES))
def make_backbone(request):
    """Build a backbone of each class: ``make_backbone(**options)``.

    It is the smallest published variant with one or two narrow blocks a stage: nothing that is
    tested so depends on depth or width.
    """
    cls, arguments, _ = MODELS[request.param]

    def make(**options):
        torch.manual_seed(0)
        return cls(**{**arguments, 'arch': shallow(cls), **options})

    return make


@pytest.fixture(params=vitbackbones.list_models())
def model_name(request):
    return request.param
