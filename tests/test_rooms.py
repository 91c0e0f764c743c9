"""The order of the package: a folder imports those below it alone, so nobody reads upwards."""

import ast
import re
import sys
from pathlib import Path

import vitbackbones

PACKAGE = Path(vitbackbones.__file__).parent
DESIGN = PACKAGE.parent / 'docs' / 'design.md'
# From the ground: folders and modules of the package. Imports inside of functions count.
ORDER = (
    *('errors', 'version', 'utils', 'runtime', 'layers', 'exact', 'weights', 'backbones'),
    *('registry', 'necks', 'data', 'importing', 'configuration', 'analysis', 'openmmlab'),
    *('drawing', 'training', 'reports', 'tasks', 'audit', 'preparing', 'export', 'trackers'),
    *('inference', 'serving', 'running', 'commands', '__main__'),
)
FLOOR = {room: floor for floor, room in enumerate(ORDER)}
CORE = ORDER[: FLOOR['registry']]
# modules outside of the core that must import as little as it does
LIGHT = ('configuration/index.py', 'configuration/names.py', 'configuration/doctor.py')
# where the core is; torch brings filelock and typing_extensions
INSTALLED = {*sys.stdlib_module_names, 'torch', 'filelock', 'typing_extensions'}
INSTALLED |= {'numpy', 'safetensors'}
INSIDE = {'mmengine', 'huggingface_hub', 'cv2', 'PIL'}  # imported inside of functions alone


def imported(file):
    """Yield every module of the package that a file imports anywhere, by its path from the top."""
    package = ('vitbackbones', *file.relative_to(PACKAGE).parent.parts)
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) + 1 - node.level]
            yield from ([*base, *(node.module or each.name).split('.')][1:] for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module.startswith('vitbackbones.'):
            yield node.module.split('.')[1:]
        elif isinstance(node, ast.ImportFrom) and node.module == 'vitbackbones':
            yield from ([alias.name] for alias in node.names)
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            yield from (name.split('.')[1:] for name in names if name.startswith('vitbackbones.'))


def rooms():
    """Yield each file of the package but its ``__init__``, and its room."""
    for file in sorted(PACKAGE.rglob('*.py')):
        if file != PACKAGE / '__init__.py':
            yield file, file.relative_to(PACKAGE).with_suffix('').parts[0]


def test_every_folder_has_its_floor():
    assert {room for _, room in rooms()} == set(FLOOR)


def test_imports_go_downwards():
    upwards = [
        f'{file.relative_to(PACKAGE)} imports {".".join(module)}'
        for file, room in rooms()
        for module in imported(file)
        if module[0] != room and FLOOR[module[0]] >= FLOOR[room]
    ]
    assert upwards == []


def test_every_file_has_less_than_400_lines():
    counts = {file: len(file.read_text().splitlines()) for file in PACKAGE.rglob('*.py')}
    assert [file for file in counts if counts[file] >= 400] == []


def test_the_page_on_the_design_shows_this_order():
    (shown,) = re.findall(r'```text\n(    commands .*?)```', DESIGN.read_text(), re.DOTALL)
    folders = [line.split()[0] for line in shown.splitlines() if line.startswith('    ')]
    assert folders == [*reversed(ORDER[:-1])]


def packages(nodes):
    """The packages, other than this one, that statements import."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.partition('.')[0]
        elif isinstance(node, ast.Import):
            yield from (alias.name.partition('.')[0] for alias in node.names)


def test_the_core_imports_torch_alone_and_others_only_inside_of_functions():
    core = [file for file, room in rooms() if room in CORE]
    for file in (*core, *(PACKAGE / name for name in LIGHT)):
        tree = ast.parse(file.read_text())
        assert {*packages(tree.body)} <= INSTALLED, file
        assert {*packages(ast.walk(tree))} <= INSTALLED | INSIDE, file
