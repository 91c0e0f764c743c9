"""Shared by all tests: one thread, so that results and times do not depend on the machine."""

import logging
import os
import signal
import sys

import pytest
import torch
from mmengine.registry import DefaultScope

import vitbackbones
from vitbackbones.engine.workers import SIGNALS
from vitbackbones.models import MODELS

logging.raiseExceptions = False  # loggers keep the closed streams of earlier tests
os.environ.setdefault('OMP_NUM_THREADS', '1')
torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def _default_scope():
    """Let OpenMMLab's global default scope, which any run or inference sets, end with its test."""
    before = DefaultScope._instance_dict.copy()
    yield
    DefaultScope._instance_dict = before


@pytest.fixture(autouse=True)
def _signals():
    """Give signals back to who had them: a run that is killed in a test cannot."""
    numbers = (*SIGNALS, signal.SIGCHLD)
    before = {number: signal.getsignal(number) for number in numbers}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


# one name for every backbone class, the first (smallest) of its family
REPRESENTATIVES = list({entry[0]: name for name, entry in reversed(MODELS.items())}.values())


def shallow(cls):
    """Return the first variant of a backbone class's table, cut to at most two blocks a stage."""
    arch = dict(next(iter(sys.modules[cls.__module__].ARCHS.values())))
    if 'depth' in arch:
        arch['depth'] = 2
    if 'depths' in arch:
        arch['depths'] = tuple(1 for _ in arch['depths'])
    return arch


@pytest.fixture(params=sorted(REPRESENTATIVES))
def make_backbone(request):
    """Build a backbone of each class: ``make_backbone(**options)``.

    It is the smallest published variant with one or two blocks a stage: nothing that is tested so
    depends on depth.
    """
    cls, arguments, _ = MODELS[request.param]

    def make(**options):
        torch.manual_seed(0)
        return cls(**{**arguments, 'arch': shallow(cls), **options})

    return make


@pytest.fixture(params=vitbackbones.list_models())
def model_name(request):
    return request.param
