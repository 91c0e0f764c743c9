"""The ImageNet checkpoint that a config names: found, replaced or left out before a run.

A backbone that silently starts from scratch costs days, so a missing file stops the run before
anything is built, and says how to get one.
"""

import copy
from collections.abc import Iterator
from pathlib import Path

from mmengine.config import Config

from ..configuration.names import config_name, find_config, is_remote, looked_in, resolve
from ..configuration.settings import entries, value_at
from ..errors import InputError
from ..registry import MODELS, SCOPE
from ..utils.messages import command_line, show_warnings
from ..weights.downloads import SCHEME, local
from ..weights.filling import INITIALIZERS, load_pretrained, pretrained_options
from ..weights.table import LEFT_RANDOM, NEVER_PUBLISHED, PUBLISHED, find, name_of
from ..weights.trained import trained_backbones

AUTO = 'auto'


def prepare_pretrained(config: Config, given: str | None = None, scratch: bool = False) -> Config:
    """Return a copy of ``config`` with the checkpoint file of its backbone, or without any.

    With ``scratch`` it starts from random weights. ``given``, ``--pretrained``, is a file, an
    address or a name of published weights in place of what the config names; ``'auto'`` stands for
    the published weights of the file that it names, or the nearest to them, unless it is there.

    Raises:
        InputError: a file is not there, or cannot be fetched.
    """
    config = copy.deepcopy(config)
    if scratch:
        leave_random(config.model)
    if given == AUTO:
        _take_published(config)
    elif given:
        model = config.model
        backbone = config.model.get('backbone')
        if backbone is None:
            raise InputError('--pretrained: the model of this config has no backbone')
        whole = pretrained_options(model.get('init_cfg')) is not None
        owner = model if whole else backbone  # fine-tuning starts with the head, too
        options = pretrained_options(owner.get('init_cfg')) or {}
        owner.init_cfg = options | {'type': f'{SCOPE}.Pretrained', 'checkpoint': given}
    for owner in _owners(config.model):
        if scratch:
            owner.init_cfg = None
        elif not given and not _fits(owner):
            text = f'{owner.type}: {owner.init_cfg.checkpoint} is for another size of the backbone'
            show_warnings([f'{text}; it starts from random weights'])
            owner.init_cfg = None
        elif not is_remote(owner.init_cfg.checkpoint):
            owner.init_cfg.checkpoint = _require(config, owner.init_cfg.checkpoint, bool(given))
    return config


def _fits(owner: dict) -> bool:
    """Return whether weights of the package fit a network that may have been changed.

    Configs that had none in 1.0 have some now. Configs of the user that inherit from them and
    change the network would be refused.
    """
    file = trained_backbones().get(owner.init_cfg.checkpoint)
    options = pretrained_options(owner.init_cfg)
    if file is None or options is None:
        return True
    try:
        load_pretrained(MODELS.build({**owner, 'init_cfg': None}), **options | {'checkpoint': file})
    except InputError:
        return False
    return True


def leave_random(node) -> None:
    """Remove the weights of networks by name, of mmseg's models and of mmdet's teachers."""
    for key, value in entries(node):
        if key in ('pretrained', 'teacher_ckpt') and value:
            node[key] = False if value is True else None
        leave_random(value)


def prepare_teacher(config: Config, scratch: bool = False) -> Config:
    """Return ``config`` with an absolute path to the weights of a teacher, if it has one.

    With ``scratch`` the teacher stays random.

    Raises:
        InputError: the file is not there.
    """
    checkpoint = config.model.get('teacher_checkpoint')
    if checkpoint is None:
        return config
    config = copy.deepcopy(config)
    config.model.teacher_checkpoint = file = None if scratch else _find(checkpoint)
    if file is None and not scratch:
        name = name_of(checkpoint)
        raise InputError(
            f'{checkpoint}: the weights of the teacher of {Path(config.filename).name} do not '
            f'exist (looked for {looked_in(checkpoint)}). Put them there, or give another file '
            f'with --cfg-options model.teacher_checkpoint=FILE{f" (or {name})" if name else ""}.'
        )
    return config


def _find(checkpoint: str) -> str | None:
    """Return the file that a path or a name of published weights stands for, None if none."""
    file = resolve(checkpoint)
    if file.is_file():
        return str(file)
    fetched = local(checkpoint)
    return None if fetched is checkpoint else str(fetched)


def _owners(node) -> Iterator[dict]:
    """Yield the dicts of a model whose ``init_cfg`` names a checkpoint."""
    if value_at(node, 'init_cfg.type') in INITIALIZERS:
        yield node
    for _, value in entries(node):
        yield from _owners(value)


def _take_published(config: Config) -> None:
    """Replace every file that is not there by the name of its published weights."""
    owners = [*_owners(config.model)]
    if not owners:
        raise InputError(
            f'--pretrained {AUTO}: {config_name(config.filename)} does not start from weights; '
            'give a file, or published weights ("vitbackbones weights" lists them)'
        )
    for options in (owner.init_cfg for owner in owners):
        found = resolve(options.checkpoint).is_file() or options.checkpoint in trained_backbones()
        if found or options.checkpoint.startswith(SCHEME) or is_remote(options.checkpoint):
            continue
        options.checkpoint = name = name_of(options.checkpoint) or options.checkpoint
        nearest = NEVER_PUBLISHED.get(name)
        if nearest:
            text = f'{name} was never published: starting from {nearest}'
            show_warnings([f'{text}, all other weights stay random'])
            missing = [*options.get('allow_missing', ()), *LEFT_RANDOM.get(name, ())]
            options.update(checkpoint=nearest, allow_missing=list(dict.fromkeys(missing)))
        else:
            find(name)  # refuses what was never published


def _require(config: Config, checkpoint: str, given: bool) -> str:
    file = _find(checkpoint)
    if file is not None:
        return file
    if given:
        raise InputError(
            f'--pretrained {checkpoint}: no such file (looked for {looked_in(checkpoint)})'
        )
    source = 'an ImageNet classification checkpoint of this backbone'
    pretraining = f'configs/imagenet/cls_{Path(checkpoint).stem}.py'
    if find_config(pretraining):
        source = f'the result of "{command_line("train", pretraining)}"'
    name = name_of(checkpoint)
    fetch = ''
    if start := NEVER_PUBLISHED.get(name, name):
        row = PUBLISHED[start]
        what = 'the published weights'
        if start != name:
            what = f'{start}, the most similar published weights'
        fetch = f'  - download {what}, with --pretrained {AUTO} ({row.url}),\n'
        if row.url is None:
            how = f'with a browser ({row.source}) and give it with --pretrained'
            fetch = f'  - download {start} {how},\n'
    raise InputError(
        f'{checkpoint}: the ImageNet checkpoint that {config_name(config.filename)} starts from '
        f'does not exist (looked for {looked_in(checkpoint)}). Either\n{fetch}'
        f'  - put {source} there,\n'
        '  - give a published checkpoint with --pretrained FILE; it is converted on loading,\n'
        '  - start from random weights with --scratch, or\n'
        '  - try the config without any weights or data with --smoke.'
    )
