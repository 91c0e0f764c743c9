"""Finding what ``type='Name'`` means by mmengine's scope rules, whatever builds it.

A config does not say which registry a dict is for; its builder knows. So a name is looked up in
all of them as the builder would: in the scope's own registry, then in mmengine's.
"""

from collections.abc import Callable, Collection
from contextlib import redirect_stdout, suppress
from importlib import import_module
from io import StringIO
from types import ModuleType

from mmengine.registry import Registry, root
from mmengine.utils import get_object_from_string

from ..errors import InputError
from ..layers import ATTENTIONS, SHORTCUTS, STEMS, Recursion, part_name
from ..registry import SCOPE

PARTS = {**ATTENTIONS, **SHORTCUTS, **STEMS, 'Recursion': Recursion}  # in no registry


class Lookup:
    """Looks up names under one default scope (``mmdet``, ``mmseg``, ``mmpretrain``).

    Raises:
        InputError: the package of that scope cannot be imported.
    """

    def __init__(self, scope: str) -> None:
        self.scope = scope
        modules = [root, _registries_of(SCOPE), _registries_of(scope)]
        found = [item for module in modules for item in vars(module).values()]
        roots = {id(item.root): item.root for item in found if isinstance(item, Registry)}
        self.roots = list(roots.values())

    def find(self, name: str) -> dict[str, Callable]:
        """Return what ``name`` may stand for: kind of registry -> class or function."""
        scope, bare = name.split('.', 1) if '.' in name else ('', name)
        found = {}
        with redirect_stdout(StringIO()):  # some toolboxes print on import
            if scope:
                with suppress(ImportError):  # no scope, but a package in the path of an object
                    import_module(f'{scope}.registry')
            for registry in self.roots:  # builders ask that of the scope, then mmengine's
                for each in [scope] if scope else [self.scope, registry.scope]:
                    asked = registry if each == registry.scope else registry.children.get(each)
                    if asked is None:
                        continue
                    asked.import_from_location()
                    if bare in asked.module_dict:
                        found.setdefault(registry.name, asked.module_dict[bare])
        if found:
            return found
        if part_name(name) in PARTS:  # of our networks
            return {'part': PARTS[part_name(name)]}
        target = get_object_from_string(name) if '.' in name else None
        return {'object': target} if callable(target) else {}

    def spellings(self, kinds: Collection[str] = ()) -> dict[str, str]:
        """Return all known names, in lower case without a scope: as a config has to write them.

        ``kinds`` are names of registries, such as ``'hook'``; by default all are searched.
        """
        asked = [registry for registry in self.roots if not kinds or registry.name in kinds]
        known = [each for registry in asked for each in (registry, *registry.children.values())]
        bare_here = (self.scope, 'mmengine')
        known.sort(key=lambda registry: registry.scope in bare_here)  # these win over namesakes
        written = {}
        for registry in known:
            prefix = '' if registry.scope in bare_here else f'{registry.scope}.'
            written.update({bare.lower(): f'{prefix}{bare}' for bare in registry.module_dict})
        if not kinds or 'model' in kinds:
            written.update({bare.lower(): bare for bare in PARTS})
        return written


def _registries_of(package: str) -> ModuleType:
    try:
        return import_module(f'{package}.registry')
    except ImportError as error:
        raise InputError(
            f'default_scope={package!r}: {package}.registry cannot be imported ({error}); is '
            'the package installed?'
        ) from error
