"""docs/compatibility.md says what is patched."""

import re

import pytest

from vitbackbones.openmmlab.patches import PATCHES

from .conftest import ROOT, load_tool

pytestmark = pytest.mark.compat


@pytest.fixture(scope='module')
def text():
    return load_tool('patch_table').table()


def test_the_file_is_current(text):
    assert (ROOT / 'docs' / 'compatibility.md').read_text() == text


@pytest.mark.parametrize('patch', PATCHES, ids=lambda patch: patch.target)
def test_every_patch_is_in_it_once(text, patch):
    assert text.count(f'| `{patch.target.replace(":", ".")}` |') == 1


@pytest.mark.parametrize('name', ['constraints.txt', 'constraints-openmmlab.txt'])
def test_the_releases_are_those_that_are_tested(text, name):
    pins = re.findall(r'^(?:onedl-)?mm\S+==(\S+)', (ROOT / name).read_text(), re.MULTILINE)
    pins += re.findall(r'^onedl-mm\S+==(\S+)', (ROOT / name).read_text(), re.MULTILINE)
    assert len({*pins}) == 5
    assert all(pin in text for pin in pins)
