"""What the Makefile, pyproject.toml and the constraints say of an installation agrees."""

import re
import sys
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version
from setuptools import find_packages

from vitbackbones.configuration.doctor import ONEDL
from vitbackbones.version import __version__
from vitbackbones.weights import PUBLISHED
from vitbackbones.weights.table import PIP, packaged

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # with pytest

ROOT = Path(__file__).parents[1]
SETS = sorted(ROOT.glob('constraints*.txt'))
LEFT_OUT = {'imaug', 'opencv-python'}


def pyproject():
    return tomllib.loads((ROOT / 'pyproject.toml').read_text())


def project():
    """Return what pyproject.toml says of the package."""
    return pyproject()['project']


def asked_for(extra=''):
    """Yield what the package asks for, or one of its extras with the extras that this names."""
    given = project()
    listed = given['optional-dependencies'][extra] if extra else given['dependencies']
    for each in map(Requirement, listed):
        if each.name != 'vitbackbones':
            yield each
        for other in each.extras if each.name == 'vitbackbones' else ():
            yield from asked_for(other)


def pins(file):
    lines = (line.partition('#')[0].strip() for line in file.read_text().splitlines())
    return [Requirement(line) for line in lines if line and not line.startswith('--')]


def listed(file, name):
    """Yield the values of a variable of the Makefile or the Dockerfile, each as a list."""
    for text in re.findall(rf'\b{name} ?:?= ?([\w, ]+)$', (ROOT / file).read_text(), re.MULTILINE):
        yield re.split('[, ]+', text)


def normal(name):
    return re.sub('[-_.]+', '-', name).lower()


def test_the_lean_set_is_what_the_toolboxes_ask_for_but_what_is_left_out():
    lean = {normal(each.name) for each in [*asked_for('lean'), *asked_for()]}
    try:
        asked = [Requirement(each) for name in ONEDL for each in requires(name)]
    except PackageNotFoundError as error:
        pytest.skip(f'{error} is not installed')
    plain = {normal(each.name) for each in asked if each.marker is None}
    assert plain - lean - set(ONEDL) == LEFT_OUT


def test_the_oldest_set_holds_the_lower_bounds():
    oldest = {normal(each.name): each for each in pins(ROOT / 'constraints-oldest.txt')}
    for each in [*asked_for(), *asked_for('onedl')]:
        bounds = {Version(bound.version) for bound in each.specifier if bound.operator == '>='}
        pinned = {Version(bound.version) for bound in oldest[normal(each.name)].specifier}
        assert bounds <= pinned, each


def test_packages_of_weights_are_in_every_test_environment():
    extra = {each.name: each for each in asked_for('pretrained')}
    rows = [row for row in map(packaged, PUBLISHED) if row]
    brought = {row.url.removeprefix(PIP).partition('/')[0] for row in rows}
    assert brought == extra.keys() - {'timm'}
    assert all('pretrained' in extras for extras in listed('Makefile', 'EXTRAS'))
    for file in set(SETS) - {ROOT / 'constraints-openmmlab.txt'}:  # which takes the first in
        pinned = {each.name: each for each in pins(file)}
        assert all(pinned[name].specifier == extra[name].specifier for name in brought), file.name


def test_the_citation_is_of_this_release_and_names_the_papers_that_the_package_links():
    citation = yaml.safe_load((ROOT / 'CITATION.cff').read_text())
    assert (citation['version'], citation['license']) == (__version__, project()['license'])
    assert {each['url'] for each in citation['references']} >= {*project()['urls'].values()}


def test_a_wheel_has_every_file_that_the_package_reads():
    given = pyproject()['tool']['setuptools']
    taken = {
        file
        for package, patterns in given['package-data'].items()
        for pattern in patterns
        for file in ROOT.joinpath(*package.split('.')).glob(pattern)
    }
    read = {
        f
        for f in (ROOT / 'vitbackbones').rglob('*.*')
        if f.suffix in ('.csv', '.html', '.js', '.typed')
    }
    assert read <= taken
    packages = find_packages(ROOT, **given['packages']['find'])
    assert not [name for name in packages if not name.startswith('vitbackbones')]


def test_what_make_and_docker_install_is_there_and_only_clones_get_its_tools():
    extras = project()['optional-dependencies']
    groups = pyproject()['dependency-groups']
    installed = [*listed('Makefile', 'EXTRAS'), *listed('Dockerfile', 'EXTRAS')]
    assert len(installed) == 3
    assert {name for names in installed for name in names} <= extras.keys()
    assert [*listed('Makefile', 'WITH')] == [['dev'], ['dev', 'docs', 'examples']]
    assert groups.keys() == {'dev', 'docs', 'examples'}
    assert groups.keys().isdisjoint(extras)
