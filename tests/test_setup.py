"""What the Makefile, setup.py and the constraints say of an installation agrees."""

import re
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from vitbackbones.configuration.doctor import ONEDL

ROOT = Path(__file__).parents[1]
SETS = sorted(ROOT.glob('constraints*.txt'))
LEFT_OUT = {'imaug', 'opencv-python'}


def metadata(monkeypatch):
    """Return what setup.py hands to setuptools."""
    given = {}
    monkeypatch.setattr('setuptools.setup', lambda **each: given.update(each))
    monkeypatch.chdir(ROOT)
    code = (ROOT / 'setup.py').read_text()
    exec(compile(code, 'setup.py', 'exec'), {'__file__': str(ROOT / 'setup.py')})
    return given


def pins(file):
    lines = (line.partition('#')[0].strip() for line in file.read_text().splitlines())
    return [Requirement(line) for line in lines if line and not line.startswith('--')]


def normal(name):
    return re.sub('[-_.]+', '-', name).lower()


def test_the_lean_set_is_what_the_toolboxes_ask_for_but_what_is_left_out(monkeypatch):
    given = metadata(monkeypatch)
    lean = {
        normal(Requirement(each).name)
        for each in [*given['extras_require']['lean'], *given['install_requires']]
    }
    try:
        asked = [Requirement(each) for name in ONEDL for each in requires(name)]
    except PackageNotFoundError as error:
        pytest.skip(f'{error} is not installed')
    plain = {normal(each.name) for each in asked if each.marker is None}
    assert plain - lean - set(ONEDL) == LEFT_OUT


def test_the_oldest_set_holds_the_lower_bounds(monkeypatch):
    given = metadata(monkeypatch)
    oldest = {normal(each.name): each for each in pins(ROOT / 'constraints-oldest.txt')}
    for each in map(Requirement, [*given['install_requires'], *given['extras_require']['onedl']]):
        bounds = {Version(bound.version) for bound in each.specifier if bound.operator == '>='}
        pinned = {Version(bound.version) for bound in oldest[normal(each.name)].specifier}
        assert bounds <= pinned, each


def test_a_wheel_has_every_file_that_the_package_reads(monkeypatch):
    given = metadata(monkeypatch)
    taken = {
        file
        for package, patterns in given['package_data'].items()
        for pattern in patterns
        for file in ROOT.joinpath(*package.split('.')).glob(pattern)
    }
    read = {
        f for f in (ROOT / 'vitbackbones').rglob('*.*') if f.suffix in ('.csv', '.html', '.typed')
    }
    assert read <= taken
    assert not [name for name in given['packages'] if name.startswith('benchmarks')]
