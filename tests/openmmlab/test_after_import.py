"""When a module is patched, whoever imports it and however it is found."""

import importlib
import sys
import threading
from types import SimpleNamespace

import pytest

from vitbackbones.openmmlab import after_import, applying
from vitbackbones.openmmlab.after_import import PatchingFinder
from vitbackbones.openmmlab.patches import Patch

pytestmark = pytest.mark.compat
SOURCE = 'def add(a, b):\n    return a + b\n\nborrowed = len\n'
PATCH = Patch('mmfake.sums:add', '', '', 'fixes:twice')


def twice(add):
    return lambda a, b: 2 * add(a, b)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package ``mmfake`` and a table that doubles the sums of ``mmfake.sums.add``."""
    (tmp_path / 'mmfake').mkdir()
    (tmp_path / 'mmfake/__init__.py').write_text('')
    (tmp_path / 'mmfake/sums.py').write_text(SOURCE)
    (tmp_path / 'mmfake/user.py').write_text('from mmfake.sums import add\n')
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, 'meta_path', sys.meta_path.copy())
    monkeypatch.setattr(after_import, 'BY_MODULE', {'mmfake.sums': [PATCH]})
    monkeypatch.setattr(applying, 'OPENMMLAB', ('mmfake',))
    monkeypatch.setitem(sys.modules, 'vitbackbones.openmmlab.fixes', SimpleNamespace(twice=twice))
    sys.meta_path[:] = [f for f in sys.meta_path if not isinstance(f, PatchingFinder)]
    yield tmp_path / 'mmfake'
    for name in [name for name in sys.modules if name.startswith('mmfake')]:
        del sys.modules[name]
    applying.REPLACED.pop(PATCH.target, None)


def sums():
    return importlib.import_module('mmfake.sums')


def test_a_module_is_patched_when_it_is_imported(package):
    for _ in range(2):  # the second time changes nothing
        after_import.install()
    assert sum(isinstance(finder, PatchingFinder) for finder in sys.meta_path) == 1
    assert 'mmfake.sums' not in sys.modules
    assert sums().add(1, 2) == 6
    assert importlib.import_module('mmfake.user').add(1, 2) == 6
    assert importlib.reload(sums()).add(1, 2) == 6


def test_what_was_imported_before_is_patched_with_its_copies(package):
    user = importlib.import_module('mmfake.user')
    after_import.install()
    assert sums().add(1, 2) == 6
    assert user.add(1, 2) == 6


def test_the_module_keeps_its_own_loader(package):
    after_import.install()
    module = sums()
    assert module.__loader__ is module.__spec__.loader
    assert type(module.__loader__) is importlib.machinery.SourceFileLoader
    assert module.__loader__.get_source('mmfake.sums') == SOURCE
    spec = importlib.util.find_spec('mmfake.sums')
    assert spec.loader.get_source('mmfake.sums') == SOURCE


def test_a_module_that_is_being_imported_is_patched_when_it_has_run(package):
    """It imports what imports this package, as a config with custom imports may."""
    (package / 'sums.py').write_text(
        f'from vitbackbones.openmmlab import after_import\nafter_import.install()\n{SOURCE}'
    )
    sums()
    importlib.import_module('mmfake.user')
    assert sums().add(1, 2) == 6


def test_a_module_that_another_thread_is_importing_is_patched(package):
    started, go_on = threading.Event(), threading.Event()
    sys.modules['mmfake_gate'] = SimpleNamespace(started=started, go_on=go_on)
    gate = 'import mmfake_gate\nmmfake_gate.started.set()\nmmfake_gate.go_on.wait(60)\n'
    (package / 'sums.py').write_text(gate + SOURCE)
    other = threading.Thread(target=sums)
    other.start()
    started.wait(60)
    threading.Timer(0.2, go_on.set).start()
    after_import.install()  # waits
    assert sums().add(1, 2) == 6
    other.join()


def test_a_name_that_a_module_borrows_is_replaced_there_alone(package, monkeypatch):
    patch = Patch('mmfake.sums:borrowed', '', '', 'fixes:twice')
    monkeypatch.setitem(after_import.BY_MODULE, 'mmfake.sums', [patch])
    (package / 'user.py').write_text('borrowed = len\n')
    user = importlib.import_module('mmfake.user')
    sums()
    after_import.install()
    assert user.borrowed is len
    assert sums().borrowed is not len
    del applying.REPLACED[patch.target]
