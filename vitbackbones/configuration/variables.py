"""Variables of a config file that come too late.

A base is executed before the file that names it. A variable such as ``scale``, which the base has
put into its pipelines, therefore changes nothing where an inheriting file sets it again.
"""

import ast
from pathlib import Path

from mmengine.config import Config

from .lint import READ_KEYS
from .read import files_of


def late_variables(config: Config) -> list[str]:
    """Return a line for each variable that a file sets, and only its bases have used."""
    if not str(config.filename).endswith('.py'):
        return []
    file, *bases = files_of(config)
    bases = [base for base in bases if base.suffix == '.py']
    found = []
    for name in sorted(_names(file, ast.Store) - _names(file, ast.Load) - READ_KEYS - {'_base_'}):
        users = [base for base in bases if name in _names(base, ast.Load)]
        if users:
            found.append(
                f'{file}: {name} has no effect here, because {users[0].name} has already used '
                f'its own value. Change the settings that contain {name}'
            )
    return found


def _names(file: Path, use: type) -> set[str]:
    """Return the names that a file sets (``ast.Store``) or reads (``ast.Load``) at its top."""
    tree = ast.parse(file.read_text(encoding='utf-8'))
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, use)}
