"""Reading a config file: every way in which it can be broken is one message.

mmengine reads ``_base_`` files recursively and executes each; its exceptions name neither the
file at fault nor the one that asked for it. Both are found in the error's traceback.
"""

import copy
import shlex
from collections.abc import Mapping
from difflib import get_close_matches
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from mmengine.config import Config

from ..errors import InputError
from ..utils.frames import calls, config_files, line_of
from ..utils.messages import did_you_mean
from ..utils.rules import TEXT
from .names import CONFIGS, find_config, looked_in, nearest_config, resolve
from .settings import value_at, walk

NO_SETTINGS = (ModuleType, FunctionType)  # which Python files have besides
OF_TOOLBOX = (
    '. If a toolbox ships it, put a clone of the toolbox there, of the release that the config was '
    'written for'
)
PREPROCESSOR = 'model.data_preprocessor.'
SUFFIXES = ('.py', '.yaml', '.yml', '.json')  # of what mmengine reads


def read_config(
    path: str | Path, options: dict | None = None, custom_imports: bool = True
) -> Config:
    """Read a file, or what ``configuration.names.find_config`` takes, and apply ``--cfg-options``.

    Args:
        path: of the file, or a name.
        options: keys and values.
        custom_imports: import the modules that the config names under this key.

    Raises:
        InputError: the file or one of its bases is missing, cannot be parsed or executed, or an
            option does not fit the config.
    """
    file = resolve(path)
    if not file.is_file():
        file = find_config(path)
    if file is None and Path(path).is_dir():
        raise InputError(f'{path}: is a folder, not a config; {_instead_of(Path(path))}')
    if file is None:
        near = nearest_config(path)
        raise InputError(f'{path}: no such config file (looked for {looked_in(path)}){near}')
    if file.suffix not in SUFFIXES:
        raise InputError(
            f'{path}: is not a config ({", ".join(SUFFIXES)}). If it is a checkpoint, give its '
            'config first'
        )
    if _leads_back(file):
        raise InputError(f'{path}: inherits from itself, by its _base_ or that of a base')
    try:
        config = Config.fromfile(str(file), import_custom_modules=custom_imports)
    except Exception as error:
        raise InputError(_explain(error, file)) from error
    own = config._cfg_dict
    for key in [key for key, value in dict.items(own) if isinstance(value, NO_SETTINGS)]:
        dict.pop(own, key)  # as mmengine does where nothing is imported from a base
    if custom_imports:
        import_named(config)
    return with_options(config, options or {})


def _instead_of(folder: Path) -> str:
    """Return what to give in place of a folder: of a work dir, the config in it."""
    configs = [*folder.glob('*.py')]
    if len(configs) == 1 and any(folder.glob('*.pth')):
        return f'give the config of this run before it: {shlex.join(map(str, (*configs, folder)))}'
    example = shlex.join(['quick_detector', '--data-root', str(folder)])
    return f'give a config and your own data with --data-root, for example {example}'


def import_named(config: Config) -> None:
    """Import what a config names with ``from PACKAGE import CLASS``; mmengine does so at first use.

    Raises:
        InputError: it cannot be imported.
    """
    try:
        for _ in walk(config):  # which builds the names
            pass
    except Exception as error:
        raise InputError(_explain(error, Path(config.filename))) from error


def files_of(config: Config) -> list[Path]:
    """Return the file of a config and all files that it inherits from."""
    files = [Path(config.filename)]
    for file in files:  # which grows
        for base in Config._get_base_files(str(file)):
            files.append(Path(Config._get_cfg_path(base, str(file))[0]))
    return files


def with_options(config: Config, options: Mapping[str, Any]) -> Config:
    """Return a copy of ``config`` with the ``KEY=VALUE`` options of the command line.

    Raises:
        InputError: one does not fit the config.
    """
    try:
        config = copy.deepcopy(config)
    except TypeError as error:  # of a module, a file or the like
        raise InputError(
            f'{config.filename}: has values that no config has ({error}). Is it a script?'
        ) from error
    for key, value in options.items():
        TEXT.require('cfg_options: key', key)
        if key == 'model.backbone' and isinstance(value, str):  # by name, exchanged elsewhere
            continue
        if key.startswith(PREPROCESSOR) and not value_at(config, PREPROCESSOR[:-1]):
            beside = 'data_preprocessor' in config  # the model, as in configs of mmpretrain
            key = key.removeprefix('model.') if beside else key
        owner, _, name = key.rpartition('.')
        entries = value_at(config, owner)
        try:
            if name.isdigit() and isinstance(entries, list) and not isinstance(value, dict):
                entries[int(name)] = value  # mmengine joins dicts only
                continue
            if owner.endswith('.arch') and isinstance(entries, str | int):
                # ``...arch.depth=24`` changes a setting of a variant that is given by its name
                config.merge_from_dict({owner: {'_delete_': True, 'base': entries}})
            if isinstance(value, dict) and not isinstance(value_at(config, key), dict):
                config.merge_from_dict({key: None})  # only what is there can be deleted
                value = {'_delete_': True, **value}
            config.merge_from_dict({key: value})  # a dict joins the dict that is there
        except (TypeError, KeyError, AttributeError, IndexError) as error:
            raise InputError(f'--cfg-options {key}={value}: {_text(error)}') from error
    return config


def require_sections(config: Config, *sections: str) -> None:
    """Refuse a config that is only a part of one.

    Raises:
        InputError: a section is missing or None.
    """
    missing = [section for section in sections if config.get(section) is None]
    if missing:
        near = get_close_matches(missing[0], config.keys() - {*missing}, n=1, cutoff=0.85)
        hint = f'; is {near[0]!r} meant to be {missing[0]!r}?' if near else ''
        raise InputError(
            f'{config.filename}: the config is incomplete: it has no {", ".join(missing)}{hint}'
        )


def _explain(error: Exception, file: Path) -> str:
    """Return one message with file and line for whatever reading ``file`` raised."""
    chain = config_files(error) or [file]
    if isinstance(error, FileNotFoundError) and len(chain) > 1:
        missing = chain[-1]
        files = {file.name: file.name for file in missing.parent.glob('*.py')}
        near = did_you_mean(missing.name, files, most=1)
        ours = missing.is_relative_to(CONFIGS)
        near = near or (nearest_config(missing) if ours else OF_TOOLBOX)
        return f'{chain[-2]}: its _base_ {missing} does not exist{near}'
    if isinstance(error, NameError) and any(x.function == '_get_base_files' for x in calls(error)):
        file = [each for each in chain if each.is_file()][-1]  # of which mmengine reads a copy
        return f'{file}: its _base_ uses the name {error.name}; write the path itself into _base_'
    if isinstance(error, InputError):
        return f'{chain[-1]}: {_text(error)}'
    if isinstance(error, SyntaxError):
        return f'{chain[-1]}:{error.lineno}: syntax error: {error.msg}'
    if isinstance(error, ImportError):
        while isinstance(error.__context__, ImportError):  # the one that started the chain
            if isinstance(error.__context__, PackageNotFoundError):  # which is only a name
                break
            error = error.__context__
        return f'{chain[-1]}: {_text(error)}'
    line = line_of(error, chain[-1])
    at = f':{line}' if line else ''
    return f'{chain[-1]}{at}: {type(error).__name__}: {_text(error)}'


def _leads_back(file: Path, above: tuple[Path, ...] = ()) -> bool:
    """Return whether a config is its own base, also by way of others."""
    try:
        bases = Config._get_base_files(str(file))
        paths = [Path(Config._get_cfg_path(base, str(file))[0]).resolve() for base in bases]
    except Exception:  # which reading the file explains
        return False
    above = (*above, file.resolve())
    return any(path in above or _leads_back(path, above) for path in paths)


def _text(error: BaseException) -> str:
    return str(error.args[0]) if error.args else str(error)
