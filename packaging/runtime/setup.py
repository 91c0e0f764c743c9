"""The part of the package that runs exported files, as a distribution that brings no torch.

It is what `vitbackbones predict` and `vitbackbones.runtime` import, as far as that needs
none but the packages in pyproject.toml beside this file.
"""

import ast
import runpy
import shutil
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / 'vitbackbones'
DATA = ('py.typed', 'commands/other_words.csv', 'openmmlab/patches.csv')
DATA += ('data/own/roles.csv', 'utils/moved.csv', 'utils/verbs.csv')
# the last one is named by a table, openmmlab/patches.csv
STARTS = ('__init__', '__main__', 'commands/predict', 'runtime/__init__', 'openmmlab/logs')
ALLOWED = {*sys.stdlib_module_names, 'numpy', 'cv2', 'PIL', 'tqdm'}


def imported(file: Path, nodes: Iterator[ast.AST]) -> Iterator[Path | str]:
    """Yield what statements of a file import: a file of the package, or the name of another one."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.level:
            base = file.parents[node.level - 1].joinpath(*(node.module or '').split('.'))
            for place in (base, *(base / alias.name for alias in node.names)):
                if place.with_suffix('.py').is_file():
                    yield place.with_suffix('.py')
                elif (place / '__init__.py').is_file():
                    yield place / '__init__.py'
        elif isinstance(node, ast.ImportFrom):
            yield node.module.partition('.')[0]
        elif isinstance(node, ast.Import):
            yield from (alias.name.partition('.')[0] for alias in node.names)


@cache
def is_light(file: Path) -> bool:
    """Return whether a file, and what it imports at its top, needs no other packages."""
    tops = imported(file, iter(ast.parse(file.read_text(encoding='utf-8')).body))
    return all(is_light(each) if isinstance(each, Path) else each in ALLOWED for each in tops)


def runtime_files() -> list[Path]:
    """Return the files of the distribution, sorted."""
    found, waiting = set(), [PACKAGE / f'{start}.py' for start in STARTS]
    while waiting:
        file = waiting.pop()
        if file in found or not is_light(file):
            continue
        found.add(file)
        inits = (folder / '__init__.py' for folder in file.parents if folder != ROOT)
        waiting += [init for init in inits if init.is_relative_to(PACKAGE)]
        everything = imported(file, ast.walk(ast.parse(file.read_text(encoding='utf-8'))))
        waiting += [each for each in everything if isinstance(each, Path)]
    return sorted(found)


class BuildRuntime(build_py):
    """Copy the files of the distribution."""

    def run(self) -> None:
        for file in (*runtime_files(), *(PACKAGE / name for name in DATA)):
            copy = Path(self.build_lib, file.relative_to(ROOT))
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, copy)


if __name__ == '__main__':
    version = runpy.run_path(str(PACKAGE / 'version.py'))['__version__']
    setup(
        cmdclass={'build_py': BuildRuntime},
        version=version,
        packages=['vitbackbones'],
        package_dir={'vitbackbones': '../../vitbackbones'},
    )
