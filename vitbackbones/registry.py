"""Registries of the scope ``vitbackbones``, and where each name in them lives.

A config that says ``type='vitbackbones.AugViT'`` makes mmengine import this module by itself, from
whatever toolbox it runs in. The object behind a name is imported when the name is asked for, so a
run of one toolbox never imports another. Nothing that can fail is imported here: mmengine would
hide the error. ``registry.csv`` beside this file lists the kind and the module of each name.
"""

import csv
from collections.abc import Iterator, Mapping, MutableMapping
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from mmengine.registry import Registry, root

from .errors import InputError

SCOPE = 'vitbackbones'
PLUGINS = f'{SCOPE}.plugins'  # a group of entry points
# what builds the optimizer of every config that names no constructor
GROUPED = f'{SCOPE}.GroupedOptimWrapperConstructor'


def bare_name(kind: object) -> str:
    """Return what a config gives as ``type``, without its scope.

    >>> bare_name('mmdet.CocoDataset')
    'CocoDataset'
    """
    return str(kind).rpartition('.')[2]


# First parts of paths that configs, and dumps of them, have in place of names: rooms of today and
# of earlier releases.
ROOMS = (
    *('backbones', 'checkpoint', 'data', 'datasets', 'engine', 'export', 'heads'),
    *('inference', 'models', 'necks', 'openmmlab', 'tasks', 'tracking', 'training'),
)


# The module of each name that is imported on demand, by kinds of objects.
TABLE: dict[str, dict[str, str]] = {}
with open(Path(__file__).with_name('registry.csv'), newline='', encoding='utf-8') as _rows:
    for _row in csv.DictReader(_rows):
        TABLE.setdefault(_row['kind'], {})[_row['name']] = _row['module']


class _Objects(MutableMapping):
    """What a registry holds by name: what was registered, and what is imported on demand.

    A path inside this package stands for its last part, wherever that lives by now:
    ``engine.amp.Bf16OptimWrapper``, which ``--amp`` once wrote.

    Args:
        table: the module of each name, ``{'ImageNetShards': 'data.shards.dataset'}``.
        hosts: a module whose ``HOSTS`` are held, too; it is imported for the first name.
    """

    def __init__(self, table: Mapping[str, str], hosts: str) -> None:
        self.registered: dict[str, Any] = {}
        self.table = table
        self.hosts = hosts

    @cached_property
    def homes(self) -> dict[str, str]:
        """The module of each name that is imported on demand."""
        hosts = import_module(f'{SCOPE}.{self.hosts}').HOSTS if self.hosts else ()
        return {**self.table, **{host.__name__: self.hosts for host in hosts}}

    def __getitem__(self, key: str) -> Any:
        path = key.removeprefix(f'{SCOPE}.')
        name = bare_name(path) if path.partition('.')[0] in ROOMS else path
        if name in self.registered:
            return self.registered[name]
        return resolve_name(f'{SCOPE}.{self.homes[name]}:{name}')

    def __setitem__(self, name: str, registered: Any) -> None:
        self.registered[name] = registered

    def __delitem__(self, name: str) -> None:
        del self.registered[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self.homes, **self.registered})

    def __len__(self) -> int:
        return len({**self.homes, **self.registered})


class LazyRegistry(Registry):
    """A child of one of mmengine's registries that imports what it holds when asked.

    Args:
        kind: of the objects, for messages, and in the table of what it holds.
        parent: mmengine's registry of this kind.
        hosts: what else it holds, see :class:`_Objects`.
    """

    def __init__(self, kind: str, parent: Registry, hosts: str = '') -> None:
        super().__init__(kind, parent=parent, scope=SCOPE)
        self._module_dict = _Objects(TABLE[kind], hosts)

    def __repr__(self) -> str:
        # mmengine's table shows the objects, and would import every toolbox for them
        return f'Registry of {self.name} in {SCOPE}: {", ".join(sorted(self._module_dict))}'

    def get(self, key: str) -> Any:
        """Return the object of a name or a path, of this registry or its ancestors."""
        return self._module_dict.get(key) or super().get(key)

    def import_from_location(self) -> None:
        """Import the plug-ins: mmengine asks for a name that it did not find so far."""
        import_plugins()


@cache
def import_plugins() -> None:
    """Import the modules that installed packages name as entry points of :data:`PLUGINS`, once.

    They register what they have, by ``@vitbackbones.registry.MODELS.register_module()``.

    Raises:
        InputError: one cannot be imported.
    """
    for entry in entry_points(group=PLUGINS):
        try:
            entry.load()
        except Exception as error:  # of any kind, as the code is another's
            package = f'{entry.dist.name} {entry.dist.version}' if entry.dist else 'a package'
            raise InputError(
                f'the plug-in {entry.value} of {package} cannot be imported '
                f'({type(error).__name__}: {error}); repair it, or uninstall the package'
            ) from error


MODELS = LazyRegistry('model', root.MODELS, hosts='backbones')
DATASETS = LazyRegistry('dataset', root.DATASETS)
METRICS = LazyRegistry('metric', root.METRICS)
TRANSFORMS = LazyRegistry('transform', root.TRANSFORMS)
HOOKS = LazyRegistry('hook', root.HOOKS)
OPTIM_WRAPPERS = LazyRegistry('optimizer wrapper', root.OPTIM_WRAPPERS)
OPTIM_WRAPPER_CONSTRUCTORS = LazyRegistry(
    'optimizer wrapper constructor', root.OPTIM_WRAPPER_CONSTRUCTORS
)
PARAM_SCHEDULERS = LazyRegistry('parameter scheduler', root.PARAM_SCHEDULERS)
WEIGHT_INITIALIZERS = LazyRegistry('weight initializer', root.WEIGHT_INITIALIZERS)
