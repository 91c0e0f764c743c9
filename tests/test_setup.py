"""What the Makefile, setup.py and the constraints say of an installation agrees."""

import os
import re
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from vitbackbones.configuration.doctor import ONEDL

ROOT = Path(__file__).parents[1]
SETS = sorted(ROOT.glob('constraints*.txt'))
LEFT_OUT = {'imaug', 'opencv-python'}
needs_make = pytest.mark.skipif(shutil.which('make') is None, reason='needs make')


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


def test_the_versions_of_python_are_the_same_everywhere(monkeypatch):
    given = metadata(monkeypatch)
    allowed = SpecifierSet(given['python_requires'])
    minors = [minor for minor in range(7, 20) if allowed.contains(f'3.{minor}.1')]
    named = [each.rpartition('3.')[2] for each in given['classifiers'] if ':: 3.' in each]
    assert named == [str(minor) for minor in minors]


def test_the_oldest_set_holds_the_lower_bounds(monkeypatch):
    given = metadata(monkeypatch)
    oldest = {normal(each.name): each for each in pins(ROOT / 'constraints-oldest.txt')}
    for each in map(Requirement, [*given['install_requires'], *given['extras_require']['onedl']]):
        bounds = {Version(bound.version) for bound in each.specifier if bound.operator == '>='}
        pinned = {Version(bound.version) for bound in oldest[normal(each.name)].specifier}
        assert bounds <= pinned, each


def planned(*words, cwd):
    """Return what make would do in a clone without environments."""
    for name in ('Makefile', 'setup.py', *(file.name for file in SETS)):
        shutil.copy(ROOT / name, cwd)
    command = ['make', '-n', 'lint', 'PYTHON=python3', *words]
    environment = {**os.environ, 'MAKEFLAGS': ''}
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=True
    ).stdout


@needs_make
def test_torch_without_cuda_comes_from_the_index_of_pytorch(tmp_path):
    index = '--extra-index-url https://download.pytorch.org/whl/cpu torch torchvision'
    assert index in planned('TORCH=cpu', cwd=tmp_path)
    assert 'download.pytorch.org' not in planned(cwd=tmp_path)


def test_a_wheel_has_every_file_that_the_package_reads(monkeypatch):
    given = metadata(monkeypatch)
    taken = {
        file
        for package, patterns in given['package_data'].items()
        for pattern in patterns
        for file in ROOT.joinpath(*package.split('.')).glob(pattern)
    }
    read = {f for f in (ROOT / 'vitbackbones').rglob('*.*') if f.suffix in ('.csv', '.html')}
    assert read <= taken
    assert not [name for name in given['packages'] if name.startswith('benchmarks')]
