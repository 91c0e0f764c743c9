"""The pages of the Python names have every public name, with a docstring."""

import pytest

from vitbackbones import registry

from ..commands.conftest import load_tool
from .pages import ROOT

griffe = pytest.importorskip('griffe', reason='of the group docs')


@pytest.fixture(scope='module')
def api():
    """What makes the pages."""
    return load_tool('site/api')


@pytest.fixture(scope='module')
def package():
    """The names of the package, read without importing it."""
    return griffe.load('vitbackbones', search_paths=[str(ROOT)], allow_inspection=False)


def test_every_name_of_a_config_is_on_a_page_with_a_docstring(api, package):
    lazy = [each for each in vars(registry).values() if isinstance(each, registry.LazyRegistry)]
    homes = {
        name
        for each in lazy
        for name, home in each._module_dict.homes.items()
        if home != 'training.hooks'  # which keeps names of earlier runs
    }
    listed = {name: home for _, name, home in api.registered()}
    assert listed.keys() == homes
    for name, home in listed.items():
        assert home in api.public_modules(), f'{home} is in no room of tools/site/api.py'
        assert package[f'{home}.{name}'.partition('.')[2]].docstring, f'{name}: no docstring'


def test_every_public_class_and_function_has_a_docstring(api, package):
    bare = [
        f'{module}.{name}'
        for module in sorted(api.public_modules())
        for name, found in package[module.partition('.')[2]].members.items()
        if not name.startswith('_')
        and name != 'main'  # of a module that is also a command
        and not found.is_alias
        and (found.is_class or found.is_function)
        and not found.docstring
    ]
    assert not bare
