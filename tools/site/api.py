"""The pages of the Python names: what a user imports, and what a config names.

A name is public if neither it nor its module begins with an underscore and its room is listed here.
The text of these pages is an instruction to mkdocstrings, which reads the docstrings without
importing anything.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = 'vitbackbones'

# page: title, what its modules are for, packages and modules; of a package all modules in it
ROOMS = {
    'vitbackbones': (
        'The package itself',
        'Configs by name, the weights that come along, and the errors.',
        ['configuration.names', 'errors', 'weights.trained'],
    ),
    'backbones': (
        'Backbones and models by name',
        "The networks, the contract that they share, and classifiers under timm's words.",
        ['backbones', 'backbones.foreign', 'backbones.shared'],
    ),
    'layers': (
        'Layers',
        'The parts that the networks are made of. All of them are importable from '
        '`vitbackbones.layers`.',
        ['layers'],
    ),
    'necks': (
        'Necks',
        'From the maps of any backbone to the levels that a head takes.',
        ['necks'],
    ),
    'tasks': (
        'Heads and losses',
        'What belongs to detection, segmentation and classification.',
        ['tasks', 'tasks.detection', 'tasks.segmentation', 'tasks.classification'],
    ),
    'data': (
        'Data',
        'Data sets, transforms and metrics.',
        ['data', 'data.loading', 'data.shapes', 'data.shards'],
    ),
    'training': (
        'Training',
        'Resuming to the bit, optimizer wrappers, groups of parameters, schedules.',
        ['exact', 'training'],
    ),
    'hooks': (
        'Hooks',
        'What happens in a run beside its steps.',
        ['training.hooks', 'trackers'],
    ),
    'weights': (
        'Weights and checkpoints',
        'Published weights, reading files safely, filling models.',
        ['weights', 'weights.read', 'weights.convert', 'openmmlab.loading'],
    ),
    'analysis': (
        'Analysis',
        'Logs and curves of runs, studies, and finding labels that are wrong.',
        ['analysis', 'audit'],
    ),
    'inference': (
        'Inference',
        'Models of the toolboxes on pictures, and faster.',
        ['inference', 'openmmlab.fusing'],
    ),
    'export': (
        'Exported models',
        'Exported files: how they are made, and how they answer without torch.',
        ['export', 'runtime', 'export.models'],
    ),
    'registry': ('Registries', 'Where each name of a config lives.', ['registry']),
}


def api_pages() -> dict[str, str]:
    """Return the Markdown of each page, by its name."""
    pages = {name: _page(*room) for name, room in ROOMS.items()}
    return {'index': _index(), 'config_names': _config_names(), **pages}


def public_modules() -> set[str]:
    """Return the modules that the pages document."""
    return {module for *_, places in ROOMS.values() for module in _modules(places)}


def registered() -> Iterator[tuple[str, str, str]]:
    """Yield kind, name and module of all that a config can name, as the registry lists it."""
    tree = ast.parse((ROOT / PACKAGE / 'registry.py').read_text())
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if isinstance(call.func, ast.Name) and call.func.id == 'LazyRegistry':
            kind, _, table = call.args
            yield from _rows(kind.value, ast.literal_eval(table))
    yield from _hosts()


def _rows(kind: str, table: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    for module, names in table.items():
        for name in names.split():
            home = _home(f'{PACKAGE}.{module}', name)
            if not ROOT.joinpath(*home.split('.')).is_dir():  # which keeps names of earlier runs
                yield kind, name, home


def _hosts() -> Iterator[tuple[str, str, str]]:
    """Yield the backbones, which the registry takes from ``backbones.HOSTS``."""
    tree = ast.parse((ROOT / PACKAGE / 'backbones' / '__init__.py').read_text())
    (hosts,) = (
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and node.targets[0].id == 'HOSTS'
    )
    for host in (node for node in ast.walk(hosts) if isinstance(node, ast.Name)):
        yield 'model', host.id, _home(f'{PACKAGE}.backbones', host.id)


def _home(module: str, name: str) -> str:
    """Return the module that defines a name which ``module`` has, perhaps by an import."""
    path = ROOT.joinpath(*module.split('.'))
    if not path.is_dir():
        return module
    for node in ast.parse((path / '__init__.py').read_text()).body:
        if isinstance(node, ast.ImportFrom) and name in {alias.name for alias in node.names}:
            return f'{module}.{node.module}'
    return module


def _modules(places: list[str]) -> Iterator[str]:
    for place in places:
        path = ROOT.joinpath(PACKAGE, *place.split('.'))
        if path.is_dir():
            files = sorted(path.glob('[!_]*.py'))
            yield from (f'{PACKAGE}.{place}.{file.stem}' for file in files)
        if not path.is_dir() or not files:
            yield f'{PACKAGE}.{place}'


def _page(title: str, purpose: str, places: list[str]) -> str:
    blocks = [f'::: {module}' for module in _modules(places)]
    return '\n\n'.join([f'# {title}', purpose, *blocks, ''])


def _index() -> str:
    rows = [f'| [{title}]({name}.md) | {purpose} |' for name, (title, purpose, _) in ROOMS.items()]
    return '\n'.join(
        [
            '# Python reference',
            '',
            'What a script imports, made from the docstrings. What a config names is in '
            '[Names in configs](config_names.md); what a shell types is in '
            '[Commands](../commands.md).',
            '',
            '| page | what is there |',
            '| --- | --- |',
            *rows,
            '',
        ]
    )


def _config_names() -> str:
    rows = [
        f'| `{PACKAGE}.{name}` | {kind} | [{home}][{home}.{name}] |'
        for kind, name, home in sorted(registered())
    ]
    return '\n'.join(
        [
            '# Names in configs',
            '',
            "What stands behind `type=` in a config, with its scope: `type='vitbackbones.AugViT'`.",
            '',
            '| name | what it is | where |',
            '| --- | --- | --- |',
            *rows,
            '',
        ]
    )
