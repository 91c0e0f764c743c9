"""Operators for toolboxes that were imported while ``mmcv.ops`` could not be.

The continued releases of mmdet and mmseg import without mmcv's operators: a module that needs one
tries to import it, and where that fails, puts something in its place that raises when it is called.
So it stays in a script that begins with ``from mmdet.apis import init_detector``. Likewise mmseg's
Mask2Former goes without mmdet, whose models did not import. Once ``mmcv.ops`` has a stand-in for
what it calls, these imports are made up for.
"""

import ast
import sys
from importlib import import_module
from importlib.util import resolve_name
from pathlib import Path
from types import ModuleType

TOOLBOXES = ('mmdet', 'mmseg')
OPERATORS = 'mmcv.ops'
WANTED = (OPERATORS, 'mmdet.models')  # what they try to import


def import_again() -> None:
    """Import operators into those modules of the toolboxes that failed to do so."""
    names = [name for name in sys.modules if name.partition('.')[0] in TOOLBOXES]
    if not names or OPERATORS in sys.modules:  # it was imported: nothing has failed
        return
    try:
        import_module(OPERATORS)
    except ImportError:  # the extension is there, and broken
        return
    for name in names:
        complete(sys.modules[name])


def complete(module: ModuleType) -> None:
    """Repeat the imports that a module of a toolbox tried together with operators or models."""
    path = getattr(module, '__file__', None)
    text = Path(path).read_text(encoding='utf-8') if path else ''
    if not any(name in text for name in WANTED):
        return
    tried: list[ast.ImportFrom] = []
    for block in ast.parse(text).body:
        imports = [s for s in getattr(block, 'body', ()) if isinstance(s, ast.ImportFrom)]
        asks = any((s.module or '').startswith(WANTED) for s in imports)
        tried += imports if isinstance(block, ast.Try) and asks else ()
    for statement in tried:
        relative = '.' * statement.level + (statement.module or '')
        try:
            source = import_module(resolve_name(relative, module.__package__))
        except ImportError:  # mmdet is not installed, and mmseg does without
            continue
        for alias in statement.names:
            name = alias.asname or alias.name
            found = getattr(source, alias.name)
            placeholder = getattr(module, name)
            setattr(module, name, found)
            own = [each for each in vars(module).values() if isinstance(each, type)]
            for each in own:  # classes that derive from the placeholder
                if each.__module__ == module.__name__ and placeholder in each.__bases__:
                    each.__bases__ = tuple(found if b is placeholder else b for b in each.__bases__)
