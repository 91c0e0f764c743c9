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
from ..configuration.data_paths import datasets, locate_data
from ..configuration.doctor import Finding
from ..configuration.lint import dicts, lint
from ..configuration.read import import_named, read_config
from ..configuration.settings import as_list
from ..configuration.version_two.convert import (
    ORIGINS,
    Converted,
    convert,
    keys_of_version_two,
    toolbox_of,
)
from ..errors import InputError
from ..openmmlab.on_meta import build_on_meta
from ..openmmlab.text_models import SIZES
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
CLONE = 'PYTHONPATH=CLONE, with the folder that contains them'
# how configs of other projects begin, by what a user can do with them here
OTHERS = {
    'MODEL': "a config of Detectron2; choose one of ours with 'vitbackbones configs'",
    '_BASE_': "a config of Detectron2; choose one of ours with 'vitbackbones configs'",
    'nc': "a model of ultralytics; 'vitbackbones train quick_detector' is the nearest here",
    'names': 'a dataset of ultralytics; give its folder to train --data-root',
}


def examine_config(path: str, out: str | None = None) -> Iterator[Finding]:
    """Yield what is found in a config, and write it as one of version 3 to ``out``.

    Raises:
        InputError: it cannot be read, or there is nothing to write.
    """
    config = _read(path)
    old = keys_of_version_two(config)
    if old:
        moved = '; '.join(f'{key} is now {place}' for key, place in old.items())
        remedy = '' if out else command_line('doctor', path, '--fix', 'fixed.py')
        yield Finding('version', 'problem', f'this is a config of version 2: {moved}', remedy)
        converted = convert(config)
        if out:
            write_converted(converted, path, out)
            yield Finding('written', 'ok', f'{out}, for version 3')
        yield from (Finding('by hand', 'note', note) for note in converted.notes)
        config = Config(converted.entries, filename=path)
    elif out:
        raise InputError(f'{path}: is not a config of version 2, so there is nothing to write')
    toolbox = toolbox_of(config)
    missing = [*_imports(config, toolbox)]
    yield from missing
    if any(finding.state == 'problem' for finding in missing):
        return
    found = [*_settings(config), *_files(config), *_model(config, toolbox)]
    yield from found
    if all(finding.state != 'problem' for finding in found):
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


def _imports(config: Config, toolbox: str) -> Iterator[Finding]:
    """Yield the packages that the config needs and that are not installed."""
    yield from _toolbox(toolbox)
    scopes = {name for _, settings in dicts(config) for name in _scopes(settings)} - {toolbox}
    for name in sorted(scopes):
        if not _is_there(name):
            yield Finding('packages', 'problem', f'{name} is not installed', CLONE)
    custom = config.get('custom_imports') or {}
    names = as_list(custom.get('imports') or [])
    absent = [name for name in names if not _is_there(name)]
    if absent:
        text = f'custom_imports names modules that are not found: {some(absent, str)}'
        yield Finding('packages', 'problem', text, CLONE)
        return
    with guarded(config.filename, SECONDS):
        for name in names:
            import_module(name)


def _scopes(settings: Mapping) -> list[str]:
    """Return the toolboxes that ``_scope_`` and ``type`` of a dict name."""
    words = (str(settings.get('_scope_')), str(settings.get('type')).rpartition('.')[0])
    return [word for word in words if re.fullmatch(r'mm[a-z0-9]+', word)]


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
        for line in str(error).splitlines()[1:]:
            yield Finding('settings', 'problem', line.strip())
        return
    for line in disagreements(config):
        yield Finding('settings', 'problem', line)
    for line in check_evaluation(config):
        yield Finding('settings', 'note', line)


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
