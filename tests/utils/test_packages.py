"""Packages that only some tools need, and versions."""

import importlib.metadata
import platform
import sys
from types import SimpleNamespace

import pytest

from vitbackbones.errors import InputError
from vitbackbones.utils.packages import import_optional, versions
from vitbackbones.version import __version__


def test_a_package_that_is_missing_is_named_with_what_installs_it():
    assert import_optional('json', 'json') is sys.modules['json']
    with pytest.raises(InputError, match=r"'no_such_module'.*pip install no-such"):
        import_optional('no_such_module', 'no-such')


def test_versions_of_what_is_installed_and_of_toolboxes_that_were_imported(monkeypatch):
    def version(package):
        if package == 'pycocotools':
            raise importlib.metadata.PackageNotFoundError(package)
        return '1.2'

    monkeypatch.setattr(importlib.metadata, 'version', version)
    for name in ('mmengine', 'mmcv', 'mmseg', 'mmpretrain'):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, 'mmdet', SimpleNamespace(__version__='3.3.0'))
    assert [*versions()] == [
        f'Python {platform.python_version()}',
        f'vitbackbones {__version__}',
        *('torch 1.2', 'torchvision 1.2', 'numpy 1.2', 'mmdet 3.3.0'),
    ]
