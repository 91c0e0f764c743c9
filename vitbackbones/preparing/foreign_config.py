"""``doctor CONFIG``: what a config of an OpenMMLab toolbox needs and does not find here.

The config is read under a guard, a config of version 2 is converted in memory, and the model is
built without weights. Neither hooks nor datasets are built.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mmengine.config import Config

from ..configuration import SPLITS
from ..configuration.classes import class_counts, training_classes
from ..configuration.data_paths import datasets, locate_data
from ..configuration.doctor import Finding
from ..configuration.lint import NOT_REGISTERED, dicts, lint
from ..configuration.read import import_named, read_config
from ..configuration.settings import as_list
from ..configuration.version_two.convert import (
    MOVED,
    ORIGINS,
    SIGNS,
    Converted,
    convert,
    in_todays_names,
    keys_of_version_two,
    toolbox_of,
)
from ..data.own.folder import in_words
from ..errors import InputError
from ..openmmlab.on_meta import build_on_meta
from ..openmmlab.text_models import SIZES
from ..registry import bare_name
from ..utils.guard import guarded
from ..utils.messages import command_line, in_one_line, some
from ..weights.trained import included
from .agreement import check_evaluation, disagreements

SECONDS = 60  # a config with a hundred bases takes two
PACKAGES = {
    'mmdet': 'onedl-mmdetection',
    'mmseg': 'onedl-mmsegmentation',
    'mmpretrain': 'onedl-mmpretrain',
}
# parts of models whose heads count something else than the classes of the data
COUNT_OTHERS = ('language_model', 'panoptic_fusion_head')
RENAMED = 'this config has names of mmcls, which is now mmpretrain'
VARIABLES = ('optimizer',)  # that many configs of version 3 have
# parts that import a package when they are built
NEEDED = {
    'AimVisBackend': 'aim',
    'Albu': 'albumentations',
    'ClearMLVisBackend': 'clearml',
    'DVCLiveVisBackend': 'dvclive',
    'LVISMetric': 'lvis',
    'MLflowVisBackend': 'mlflow',
    'NeptuneVisBackend': 'neptune',
    'TensorboardVisBackend': 'tensorboard',
    'WandbVisBackend': 'wandb',
}
CLONE = 'PYTHONPATH=CLONE, with the folder that contains them'
# how configs of other projects begin, by what a user can do with them here
OTHERS = {
    'MODEL': "a config of Detectron2; choose one of ours with 'vitbackbones configs'",
    '_BASE_': "a config of Detectron2; choose one of ours with 'vitbackbones configs'",
    'nc': "a model of ultralytics; 'vitbackbones train quick_detector' is the nearest equivalent",
    'names': 'a dataset of ultralytics; give its folder to train --data-root',
}


def examine_config(path: str, out: str | None = None) -> Iterator[Finding]:
    """Yield what is found in a config, and write it as one of version 3 to ``out``.

    Raises:
        InputError: it cannot be read, or there is nothing to write.
    """
    config = _read(path)
    old = keys_of_version_two(config)
    today = in_todays_names(config.to_dict())
    changed = bool(old) or today != config.to_dict()
    toolbox = toolbox_of(today)
    if old and toolbox not in PACKAGES:
        raise InputError(
            f'{path}: is a config of {toolbox} before version 1, which is not converted; this '
            f'package has only models of {", ".join(PACKAGES)}'
        )
    if changed:
        moved = '; '.join(f'{key} is now {place}' for key, place in old.items())
        text = f'this is a config of version 2: {moved}' if old else RENAMED
        remedy = '' if out else command_line('doctor', path, '--fix', 'fixed.py')
        yield Finding('version', 'note' if out else 'problem', text, remedy)
        converted = _converted(config) if old else Converted(toolbox, today)
        if out:
            write_converted(converted, path, out)
            yield Finding('written', 'ok', f'{out}, for version 3')
        yield from (Finding('by hand', 'note', note) for note in converted.notes)
        config = Config(converted.entries, filename=path)
    elif out:
        raise InputError(f'{path}: is not a config of version 2, so there is nothing to write')
    else:
        yield from _left_over(config)
    missing = [*_imports(config, toolbox)]
    yield from missing
    if any(finding.state == 'problem' for finding in missing):
        return
    found = [*_needed(config), *_settings(config), *_files(config), *_model(config, toolbox)]
    yield from found
    if (out or not changed) and all(finding.state != 'problem' for finding in found):
        yield Finding('next', 'ok', command_line('train', out or path, '--smoke'))


def _read(path: str) -> Config:
    """Return a config that is one of OpenMMLab."""
    file = Path(path)
    if file.suffix == '.ipynb':
        raise InputError(f'{path}: is a notebook; save its config as a Python file')
    with guarded(path, SECONDS):
        config = read_config(path, custom_imports=False)
    import_named(config)
    told = [text for key, text in OTHERS.items() if key in config]
    if told and 'model' not in config:
        raise InputError(f'{path}: looks like {told[0]}')
    if not isinstance(config.get('model'), Mapping):
        raise InputError(f'{path}: has no model, so it is a part of other configs')
    return config


def _converted(config: Config) -> Converted:
    try:
        return convert(config)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        text = f'{type(error).__name__}: {in_one_line(error, 200)}'
        raise InputError(f'{config.filename}: cannot be converted: {text}') from error


def _left_over(config: Config) -> Iterator[Finding]:
    """Yield keys of version 2 in a config of version 3, such as one that changes a base."""
    told = [f'{key} (now {MOVED[key]})' for key in SIGNS if key in config and key not in VARIABLES]
    if told:
        text = f'version 3 does not read these keys of version 2: {some(told, str)}'
        yield Finding('version', 'note', text)


def _imports(config: Config, toolbox: str) -> Iterator[Finding]:
    """Yield the packages that the config needs and that are not installed."""
    yield from _toolbox(toolbox)
    scopes = {name for _, settings in dicts(config) for name in _scopes(settings)} - {toolbox}
    for name in sorted(scopes):
        if not _is_there(name):
            remedy = _folder_of(name, config.filename)
            yield Finding('packages', 'problem', f'{name} is not installed', remedy)
    custom = config.get('custom_imports') or {}
    names = as_list(custom.get('imports') or [])
    absent = [name for name in names if not _is_there(name)]
    if absent:
        text = f'custom_imports names modules that are not found: {some(absent, str)}'
        yield Finding('packages', 'problem', text, _folder_of(absent[0], config.filename))
        return
    with guarded(config.filename, SECONDS):
        for name in names:
            import_module(name)


def _needed(config: Config) -> Iterator[Finding]:
    """Yield the packages that parts of a config import and that are not installed."""
    for kind in sorted({str(settings.get('type')) for _, settings in dicts(config)}):
        package = NEEDED.get(bare_name(kind))
        if package and not _is_there(package):
            text = f'{kind} needs {package}, which is not installed'
            yield Finding('packages', 'problem', text, f'pip install {package}')


def _folder_of(module: str, filename: str) -> str:
    """Return how to find a module that is in a folder around the config."""
    package = module.partition('.')[0]
    for folder in Path(filename).resolve().parents:
        if (folder / package).is_dir() or (folder / f'{package}.py').is_file():
            return f'PYTHONPATH={folder}, set before the command'
    return CLONE


def _scopes(settings: Mapping) -> list[str]:
    """Return the toolboxes that ``_scope_`` and ``type`` of a dict name."""
    scope = str(settings.get('_scope_'))
    kind = settings.get('type')
    words = (scope, kind.partition('.')[0] if isinstance(kind, str) and '.' in kind else '')
    return [word for word in words if re.fullmatch('[a-z][a-z0-9_]+', word)]


def _toolbox(name: str) -> Iterator[Finding]:
    """Yield why a toolbox or a fork of one cannot be imported, or which of several is."""
    if not _is_there(name):
        remedy = f'pip install {PACKAGES[name]}' if name in PACKAGES else CLONE
        yield Finding('packages', 'problem', f'{name} is not installed', remedy)
        return
    folders = [Path(folder, name) for folder in dict.fromkeys(sys.path)]
    places = [str(folder) for folder in folders if (folder / '__init__.py').is_file()]
    if len(places) > 1:
        text = f'{name} is imported from {places[0]}, and also in {some(places[1:], str)}'
        yield Finding('packages', 'note', text)
    try:
        import_module(name)
    except Exception as error:  # of any class: releases compare their versions
        text = f'{name} cannot be imported: {in_one_line(error, 200)}'
        yield Finding('packages', 'problem', text)


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of a package around it
        return False


def _settings(config: Config) -> Iterator[Finding]:
    """Yield unknown keys and types, values that cannot be meant, and those that do not agree."""
    try:
        lint(config)
    except InputError as error:
        for line in map(str.strip, str(error).splitlines()[1:]):
            lacks_backbone = line.startswith('model.backbone.type: ') and NOT_REGISTERED in line
            replace = command_line('train', 'CONFIG', '--backbone', 'NAME')
            yield Finding('settings', 'problem', line, replace if lacks_backbone else '')
        return
    for line in disagreements(config):
        yield Finding('settings', 'problem', line)
    for line in (*check_evaluation(config), *_other_counts(config)):
        yield Finding('settings', 'note', line)


def _other_counts(config: Config) -> Iterator[str]:
    """Yield numbers of classes of the model that are not those of its training data."""
    several = {*COUNT_OTHERS} & config.model.keys()
    names = training_classes(config) if config.get('train_dataloader') and not several else None
    for key, count in class_counts(config) if names else ():
        if count != len(names) and 'auxiliary_head' not in key:
            yield f'{key}: is {count}, but train_dataloader.dataset has {in_words(names)}'


def _files(config: Config) -> Iterator[Finding]:
    """Yield data and weights that are not there."""
    splits = tuple(split for split in SPLITS if config.get(f'{split}_dataloader'))
    try:
        if [*datasets(config, splits)]:
            locate_data(config, None, splits)
    except InputError as error:
        yield Finding('data', 'note', str(error))
    text = json.dumps(config.to_dict(), default=str)
    named = re.findall(r'"checkpoint": "([^"]+)"', text)
    named += [config.load_from] if config.get('load_from') else []
    absent = [
        name
        for name in dict.fromkeys(named)
        if '://' not in name and name not in included() and not Path(name).is_file()
    ]
    if absent:
        yield Finding('weights', 'note', f'not found: {some(absent, str)}', 'train --scratch')
    for name in SIZES:
        if f'{name}"' in text:
            told = f'the text model {name}: vocabulary and weights come from the Hugging Face Hub'
            yield Finding('weights', 'note', told)


def _model(config: Config, toolbox: str) -> Iterator[Finding]:
    """Yield what the model is, or why it cannot be built."""
    try:
        model = build_on_meta(config.model, toolbox)
    except Exception as error:  # of any class of any package
        text = f'{type(error).__name__}: {in_one_line(error, 300)}'
        yield Finding('model', 'problem', text)
        return
    count = sum(parameter.numel() for parameter in model.parameters())
    parts = [type(model).__name__]
    if hasattr(model, 'backbone'):
        parts.append(type(model.backbone).__name__)
    classes = _classes(model)
    text = f'{" on ".join(parts)}, {count / 1e6:.1f} M parameters'
    yield Finding('model', 'ok', text + (f', {classes} classes' if classes else ''))


def _classes(model: Any) -> int | None:
    for owner in (model, getattr(model, 'roi_head', None)):
        for name in ('bbox_head', 'decode_head', 'mask_head', 'panoptic_head', 'head'):
            head = getattr(owner, name, None)
            found = getattr(head, 'num_classes', None)
            if found:
                return found
    return None


def write_converted(converted: Converted, path: str, out: str) -> None:
    """Write a config of version 3, with a comment where a section comes from others.

    Raises:
        InputError: the file exists.
    """
    target = Path(out)
    if target.exists():
        raise InputError(f'--fix: {out} exists; give another name')
    lines = [f'# {path}, written as a config of version 3. Its bases are included.']
    lines += [f'# To do by hand: {note}' for note in converted.notes]
    for key, value in converted.entries.items():
        text = Config({key: value}).pretty_text.rstrip()
        origin = ORIGINS.get(key)
        lines += ['', *([f'# was: {origin}'] if origin else []), text]
    target.write_text('\n'.join(lines) + '\n', 'utf-8')
