"""The table of patches: what is replaced, and what happens where upstream has changed."""

import logging
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pkgutil import resolve_name
from types import SimpleNamespace

import mmengine
import pytest

from vitbackbones.openmmlab import patches
from vitbackbones.openmmlab.applying import LOG, apply_patch, apply_patches
from vitbackbones.openmmlab.patches import IN_TRAINING, PATCHES

pytestmark = pytest.mark.compat
NAMED = [patch for patch in PATCHES if ':' in patch.target and not patch.needed_by]
NAMED = [patch for patch in NAMED if find_spec(patch.target.split('.')[0].split(':')[0])]


@pytest.fixture
def said(monkeypatch):
    """What the package logs of its patches."""
    records = []
    handler = logging.Handler()
    handler.emit = records.append
    monkeypatch.setattr(LOG, 'propagate', False)
    LOG.addHandler(handler)
    LOG.setLevel(logging.DEBUG)
    yield records
    LOG.setLevel(logging.NOTSET)
    LOG.removeHandler(handler)


def test_rows_say_what_is_wrong_what_is_done_when_and_for_which_releases():
    moments = {patches.AFTER_IMPORT, patches.IF_MISSING, patches.IN_RUN, patches.IF_UNUSED}
    moments |= {patches.IN_WORKER, patches.IN_TRAINING}
    for patch in PATCHES:
        assert '' not in (patch.part, patch.wrong, patch.done), patch
        assert patch.when in moments, patch
        assert patch.releases in (patches.ALL, patches.ONEDL), patch
        assert callable(resolve_name(f'vitbackbones.openmmlab.{patch.fix}')), patch
        assert bool(patch.needed_by) == (patch.when == patches.IF_UNUSED), patch


def test_a_target_that_is_gone_is_skipped(said):
    tried = [patch.target for patch in NAMED if skips(patch, said)]
    assert len(tried) > 30


def skips(patch, said):
    """Whether a release that has the target is told of, and nothing is replaced, without it."""
    name, _, path = patch.target.partition(':')
    module = import_module(name)
    if patch.releases == 'onedl' and not hasattr(module, path.partition('.')[0]):
        return False  # not in this release
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.delattr(module, path.partition('.')[0])
        said.clear()  # of its import
        apply_patch(patch, module)
    (record,) = said
    message = record.getMessage()
    assert patch.target.replace(':', '.') in message.replace(':', '.')
    assert record.levelno == (logging.WARNING if patch.protects else logging.DEBUG), patch
    assert patch.protects in message
    return True


def test_a_target_that_takes_other_arguments_is_skipped(said):
    def register_scheme(scheme, read):
        pytest.fail('registered')

    (patch,) = (p for p in PATCHES if p.target.endswith('CheckpointLoader.register_scheme'))
    loader = SimpleNamespace(register_scheme=register_scheme)
    apply_patch(patch, SimpleNamespace(CheckpointLoader=loader))
    assert loader.register_scheme is register_scheme
    (record,) = said
    assert record.levelno == logging.WARNING
    target = 'mmengine.runner.CheckpointLoader.register_scheme'
    assert record.getMessage().startswith(f'mmengine {mmengine.__version__} has no {target} ')


def test_a_module_that_is_gone_is_skipped(monkeypatch, said):
    (patch,) = (p for p in PATCHES if p.when == IN_TRAINING)
    monkeypatch.setitem(sys.modules, patch.target.partition(':')[0], None)
    apply_patches(IN_TRAINING)
    (record,) = said
    assert record.levelno == logging.DEBUG
    assert patch.target in record.getMessage()


REPLACED_EVERYWHERE = """
import mmdet.apis, mmseg.apis, mmpretrain.apis
from pkgutil import resolve_name
from vitbackbones.openmmlab.applying import REPLACED
from vitbackbones.openmmlab.logs import RunnersLog
from vitbackbones.openmmlab.patches import PATCHES
import logging, mmengine.runner, mmengine.logging
in_place = 'inference:know_classifiers'
wanted = {p.target for p in PATCHES if p.fix.startswith('inference:') and p.fix != in_place}
assert wanted <= {*REPLACED}, wanted - {*REPLACED}
for target, replacement in REPLACED.items():
    assert resolve_name(target) is replacement, target
assert mmengine.runner.checkpoint.print_log is mmengine.logging.logger.print_log
assert mmengine.runner.CheckpointLoader._schemes[''].__module__ == 'vitbackbones.openmmlab.loading'
assert type(logging.getLogger('vitbackbones').handlers[0]) is RunnersLog
"""


def test_toolboxes_that_are_imported_later_are_patched():
    exec(REPLACED_EVERYWHERE, {})  # here this package was imported first


@pytest.mark.parametrize(
    'order',
    [
        'mmengine.runner vitbackbones',
        'mmengine.infer mmseg.apis mmpretrain.apis mmdet.apis vitbackbones',
    ],
)
def test_the_order_of_imports_changes_nothing(order):
    if order.startswith('mmengine.infer') and not hasattr(import_module('mmcv._ext'), '__file__'):
        order = f'vitbackbones.openmmlab.missing_packages {order}'
    code = f'import {", ".join(order.split())}\n{REPLACED_EVERYWHERE}'
    command = [sys.executable, '-W', 'ignore', '-c', code]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
