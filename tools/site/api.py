"""The pages of the Python names: what a user imports, and what a config names.

A name is public if neither it nor its module begins with an underscore and its room is listed here.
The text of these pages is an instruction to mkdocstrings, which reads the docstrings without
importing anything.
"""

import ast
import csv
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = 'vitbackbones'

# page: title, what its modules are for, packages and modules; of a package all modules in it
ROOMS = {
    'vitbackbones': (
        'The package itself',
        'Configs by name, bundled weights, and errors.',
        ['configuration.names', 'errors', 'weights.trained'],
    ),
    'backbones': (
        'Backbones and models by name',
        'The networks, their common contract, and classifiers with the interface of timm.',
        ['backbones', 'backbones.foreign', 'backbones.shared'],
    ),
    'layers': (
        'Layers',
        'The parts of the networks. Import them from `vitbackbones.layers`.',
        ['layers'],
    ),
    'necks': (
        'Necks',
        'Modules that turn the feature maps of any backbone into the levels of a head.',
        ['necks'],
    ),
    'tasks': (
        'Heads and losses',
        'Heads, losses and data of detection, segmentation and classification.',
        ['tasks', 'tasks.detection', 'tasks.segmentation', 'tasks.classification'],
    ),
    'data': (
        'Data',
        'Datasets, transforms and metrics.',
        ['data', 'data.loading', 'data.shapes', 'data.shards'],
    ),
    'training': (
        'Training',
        'Calls from Python, bit-exact resuming, optimizer wrappers, schedules.',
        ['commands.python', 'running.result', 'running.request', 'exact', 'training'],
    ),
    'hooks': (
        'Hooks',
        'Hooks of a run, and trackers.',
        ['training.hooks', 'trackers'],
    ),
    'weights': (
        'Weights and checkpoints',
        'Published weights, safe reading of files, loading into models.',
        ['weights', 'weights.read', 'weights.convert', 'openmmlab.loading'],
    ),
    'analysis': (
        'Analysis',
        'Logs and curves of runs, and label errors.',
        ['analysis', 'audit'],
    ),
    'inference': (
        'Inference',
        'Predictions of a model on images, and fusing.',
        ['inference', 'openmmlab.fusing'],
    ),
    'export': (
        'Exported models',
        'Exporting models, and running exported files without torch.',
        ['export', 'runtime', 'export.models'],
    ),
    'registry': ('Registries', 'The module of each name in a config.', ['registry']),
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
    with open(ROOT / PACKAGE / 'registry.csv', newline='', encoding='utf-8') as rows:
        for row in csv.DictReader(rows):
            home = _home(f'{PACKAGE}.{row["module"]}', row['name'])
            if not ROOT.joinpath(*home.split('.')).is_dir():  # which keeps names of earlier runs
                yield row['kind'], row['name'], home
    yield from _hosts()


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
            'The public functions and classes, generated from the docstrings. See also '
            '[Names in configs](config_names.md) and [Commands](../commands.md).',
            '',
            '| page | content |',
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
            "Values of `type=` in a config, with their scope: `type='vitbackbones.AugViT'`.",
            '',
            '| name | kind | module |',
            '| --- | --- | --- |',
            *rows,
            '',
        ]
    )
