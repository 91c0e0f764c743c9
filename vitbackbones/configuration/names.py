"""Find shipped configs and other files that a config or a command refers to.

A clone has the configs in ``configs/``, an installed wheel in ``vitbackbones/.mim/configs``, where
OpenMMLab's tools look for them. Relative paths are looked up in the current directory, then in the
clone.
"""

from functools import cache
from os.path import isfile
from pathlib import Path

from ..errors import InputError
from ..utils.messages import did_you_mean
from .index import name_of, run_configs

PACKAGE = Path(__file__).resolve().parents[1]
BASES = '_base_'  # folder of the parts of configs
SCOPE = 'vitbackbones::'
INSTALLED = PACKAGE / '.mim' / 'configs'
CONFIGS = INSTALLED if INSTALLED.is_dir() else PACKAGE.parent / 'configs'
# an installed wheel has no folder of data and checkpoints beside it
CLONE = None if CONFIGS == INSTALLED else CONFIGS.parent


@cache
def config_files() -> dict[str, Path]:
    """Return all shipped configs by name, sorted."""
    return run_configs(CONFIGS)


def config_name(file: str | Path) -> str:
    """Return the name of a shipped config, or the stem of any other file."""
    file = Path(file)
    shipped = file.absolute() == config_files().get(name_of(file))
    return name_of(file) if shipped else file.stem


def find_config(text: str | Path) -> Path | None:
    """Return the shipped config, or a base, with the name ``text``; None if there is none.

    Args:
        text: ``detr_aug_vit_s_coco``, ``coco/detr_aug_vit_s``, either with ``.py`` at its end and
            ``configs/`` or ``vitbackbones::`` at its beginning.
    """
    path = Path(str(text).removeprefix(SCOPE))
    parts = path.with_suffix('').parts if path.suffix == '.py' else path.parts
    if 'configs' in parts:
        parts = parts[len(parts) - parts[::-1].index('configs') :]
    if len(parts) < 2:
        return config_files().get(''.join(parts))
    inside = CONFIGS.joinpath(*parts[:-1], f'{parts[-1]}.py')
    shipped = '..' not in parts and inside.is_relative_to(CONFIGS)  # not absolute
    return inside if shipped and isfile(inside) else None  # False for a name that is too long


def config(name: str) -> str:
    """Return the path of a shipped config, for tools that require a file.

    In a config of your own, ``_base_ = __import__('vitbackbones').config('detr_aug_vit_s_coco')``
    works under the tools of every OpenMMLab toolbox.

    Args:
        name: as :func:`find_config` takes it.

    Raises:
        InputError: there is no such config; the nearest name is given.
    """
    file = find_config(name)
    if file is None:
        raise InputError(f'{name}: there is no config with this name{nearest_config(name)}')
    return str(file)


def nearest_config(text: str | Path) -> str:
    """Return the end of a message that suggests the config nearest to ``text``, or ``''``."""
    text = str(text).removeprefix(SCOPE)
    path = Path(text)
    if BASES in path.parts:
        files = (CONFIGS / BASES / path.parent.name).glob('*.py')
        shown = {file.stem: f'configs/{file.relative_to(CONFIGS).as_posix()}' for file in files}
        return did_you_mean(path.stem, shown) or (
            '; docs/versions.md lists the replacements of old parts'
        )
    folders = {file.parent.name for file in config_files().values()}
    guess = f'{path.stem}_{path.parent.name}' if path.parent.name in folders else path.stem
    show = shown_path if text.endswith('.py') else str
    return did_you_mean(guess, {name: show(name) for name in config_files()})


def shown_path(name: str) -> str:
    """Return the path of a shipped config as commands and messages write it."""
    file = config_files()[name]
    return f'configs/{file.parent.name}/{file.name}'


def is_remote(path: str | Path) -> bool:
    """Whether ``path`` is a URL or names a storage service, not a file of this machine."""
    return ':/' in str(path)  # pathlib makes one slash of two


def candidates(path: str | Path) -> list[Path]:
    """Return the places where ``path`` may be, in the order of their precedence."""
    path = Path(path).expanduser()
    if path.is_absolute() or CLONE in (None, Path.cwd()):
        return [path.absolute()]
    return [Path.cwd() / path, CLONE / path]


def resolve(path: str | Path) -> Path:
    """Return the first of the :func:`candidates` that exists, otherwise the first of all."""
    places = candidates(path)
    return next((place for place in places if place.exists()), places[0])


def looked_in(path: str | Path) -> str:
    """Return the candidates as the end of a message."""
    return ' and '.join(str(place) for place in candidates(path))
