"""Putting a patch in place, where its target is still there.

A target that upstream has renamed, fixed or given another signature is skipped: the rest of the
package, and upstream itself, work without the patch. Each step is logged at debug level by
``vitbackbones.openmmlab``. If the target of a patch that protects loading is gone, a warning says
so.
"""

import functools
import inspect
import logging
import sys
from collections.abc import Callable
from importlib import import_module
from pkgutil import resolve_name
from threading import Lock
from types import ModuleType
from typing import Any

from ..utils.messages import page
from ..utils.packages import OPENMMLAB
from .patches import PATCHES, Patch

LOG = logging.getLogger('vitbackbones.openmmlab')
REPLACED: dict[str, Any] = {}  # target: what stands there now
MISSING = object()
LOCK = Lock()  # two threads may import at the same time


def apply_patches(when: str) -> None:
    """Put all patches of a moment in place, importing what they concern."""
    for patch in PATCHES:
        if patch.when != when:
            continue
        try:
            module = import_module(patch.target.partition(':')[0])
        except ModuleNotFoundError:
            _skip(patch)
        else:
            apply_patch(patch, module)


def apply_patch(patch: Patch, module: ModuleType) -> None:
    """Put a patch in place, once; ``module`` is the one that its target begins with."""
    path, _, name = patch.target.partition(':')[2].rpartition('.')
    fix = resolve_name(f'{__package__}.{patch.fix}')
    with LOCK:
        try:
            owner = functools.reduce(getattr, filter(None, path.split('.')), module)
            original = getattr(owner, name)
            if original is REPLACED.get(patch.target, MISSING):
                return
            replacement = _instead_of(original, fix)
        except (AttributeError, TypeError):  # TypeError: it takes other arguments than it did
            _skip(patch)
            return
        if replacement is not None:
            _replace(owner, name, replacement)
            REPLACED[patch.target] = getattr(owner, name)
    LOG.debug(f'{patch.target}: patched')


def _instead_of(original: Any, fix: Callable) -> Any:
    """Return what takes the place of a target: what ``fix`` makes of it, or ``fix`` itself.

    A fix of one parameter is told the target. One of several is called in its place, and gets the
    target before the arguments of the call.
    """
    if len(inspect.signature(fix).parameters) == 1:
        return fix(original)

    def call(*arguments, **options):
        return fix(original, *arguments, **options)

    return call


def _replace(owner: Any, name: str, replacement: Any) -> None:
    """Set a name of a module or class, also where the toolboxes have imported it from there."""
    original = getattr(owner, name)
    if inspect.isroutine(original):
        replacement = functools.wraps(original)(replacement)
    if isinstance(inspect.getattr_static(owner, name), classmethod | staticmethod):
        replacement = staticmethod(replacement)
    setattr(owner, name, replacement)
    if not inspect.ismodule(owner) or getattr(original, '__module__', '') != owner.__name__:
        return
    for other, module in list(sys.modules.items()):  # after ``from module import name``
        theirs = other.partition('.')[0] in OPENMMLAB
        if theirs and getattr(module, '__dict__', {}).get(name) is original:
            setattr(module, name, replacement)


def _skip(patch: Patch) -> None:
    if not patch.protects:
        LOG.debug(f'{patch.target}: skipped; it does not exist, or it was changed')
        return
    package = patch.target.partition('.')[0]
    release = import_module(f'{package}.version').__version__
    target = patch.target.replace(':', '.')
    LOG.warning(
        f'{package} {release} has no {target} that vitbackbones can make safe: {patch.protects} '
        'may run code when they are loaded. Use only files that you trust, or a supported '
        f'release ({page("compatibility")}).'
    )
