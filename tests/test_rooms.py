"""The order of the package: what a room imports lies below it, so nobody has to read upwards."""

import ast
import sys
from pathlib import Path

import vitbackbones

PACKAGE = Path(vitbackbones.__file__).parent
# From the bottom. Rooms of one line do not import each other. Folders, and modules beside them.
ORDER = (
    ('errors', 'version', 'results'),  # of results its docstring alone
    # what looks at the frames of other packages has the room of the patches, but stands alone
    ('utils', 'openmmlab.frames'),
    ('export.runtime', 'configuration.index'),  # without torch
    ('configuration.names', 'configuration.doctor'),
    ('layers', 'exact'),
    ('weights',),
    ('backbones',),
    ('registry',),
    ('backbones.necks',),  # with mmcv
    ('data',),
    ('configuration', 'results.analysis'),
    ('openmmlab',),
    ('inference.drawing',),
    ('training',),
    ('inference', 'results.report', 'results.publishing'),
    ('tasks', 'results.audit'),
    ('training.trackers',),
    ('configuration.checks',),
    ('configuration.common_steps',),
    ('export',),
    ('inference.graphs',),
    ('inference.open',),
    ('inference.configured',),
    ('commands',),
    ('__main__',),
)
FLOOR = {room: floor for floor, rooms in enumerate(ORDER) for room in rooms}
CORE = {room for rooms in ORDER[: FLOOR['registry']] for room in rooms}
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


def room_of(module):
    """Return the room of a module, given by the names on the way to it."""
    single = '.'.join(module[:2])
    return single if single in FLOOR else module[0]


def parts(file):
    return file.relative_to(PACKAGE).with_suffix('').parts


def test_every_room_has_its_floor():
    files = [file for file in PACKAGE.rglob('*.py') if file != PACKAGE / '__init__.py']
    assert {room_of(parts(file)) for file in files} == set(FLOOR)


def test_imports_go_downwards():
    upwards = [
        f'{file.relative_to(PACKAGE)} imports {".".join(module)}'
        for file in sorted(PACKAGE.rglob('*.py'))
        if file != PACKAGE / '__init__.py'
        for module in imported(file)
        if room_of(module) != room_of(parts(file))
        and FLOOR[room_of(module)] >= FLOOR[room_of(parts(file))]
    ]
    assert upwards == []


def packages(nodes):
    """The packages, other than this one, that statements import."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.partition('.')[0]
        elif isinstance(node, ast.Import):
            yield from (alias.name.partition('.')[0] for alias in node.names)


def test_the_core_imports_torch_alone_and_others_only_inside_of_functions():
    for file in PACKAGE.rglob('*.py'):
        if room_of(parts(file)) in CORE:
            tree = ast.parse(file.read_text())
            assert {*packages(tree.body)} <= INSTALLED, file
            assert {*packages(ast.walk(tree))} <= INSTALLED | INSIDE, file
