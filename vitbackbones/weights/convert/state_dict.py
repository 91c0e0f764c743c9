"""The weights of a backbone out of a file: without other entries, and the model around it."""

import csv
import logging
import re
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from torch import Tensor

from ...errors import InputError
from ...utils.messages import shorten
from ..read.pickles import IMG_SIZE

StateDict = dict[str, Tensor]
PREFIXES = ('module.', '_orig_mod.')  # of torch's parallel wrappers and of torch.compile
_BARE = {r'^head\.fc_dist\.': 'head_dist.', r'^head\.fc\.': 'head.', r'^backbone\.': ''}
# Where files have weights, what is taken first: published results are those of an average.
# ``ema_state_dict`` is none of them: mmengine keeps the last weights there, beside the average.
ENTRIES = ('state_dict_ema', 'model_ema', 'ema_model', 'module_ema', 'params_ema', 'ema')
ENTRIES += ('state_dict', 'model', 'model_state_dict', 'params', 'module', 'network', 'net')
DEEPEST = 3  # entries in entries
# What programs put before the keys of a network inside theirs, such as a LightningModule.
WRAPPERS = ('ema_model.', 'model_ema.', 'ema.', 'model.', 'net.', 'network.', 'encoder.')
WRAPPERS += ('teacher.', 'student.')
TRANSFORMERS = '.attention.attention.query.weight'
LOG = logging.getLogger('vitbackbones')
# Patterns of keys and what replaces them, one after the other, by the format of the file.
RULES: dict[str, dict[str, str]] = defaultdict(dict)
with open(Path(__file__).parents[1] / 'renames.csv', newline='', encoding='utf-8') as _file:
    for _row in csv.DictReader(_file):
        RULES[_row['format']][_row['pattern']] = _row['replacement']


def rename(state: StateDict, rules: dict[str, str]) -> StateDict:
    """Apply regular expressions (pattern: replacement) one after the other to every key."""
    renamed = {}
    for key, value in state.items():
        for pattern, replacement in rules.items():
            key = re.sub(pattern, replacement, key)
        renamed[key] = value
    return renamed


def take_state_dict(checkpoint: dict, state_key: str | None = None) -> StateDict:
    """Take the state dict out of a checkpoint and strip what wraps a model from its keys.

    Args:
        checkpoint: what a file holds: a state dict, or one among other things.
        state_key: the entry to take; by default the first of :data:`ENTRIES` that is there.

    Raises:
        InputError: there is no such entry, or there are no tensors in it.
    """
    state = OrderedDict()
    entry = find_entry(checkpoint, state_key)
    state._metadata = getattr(entry, '_metadata', {})  # type: ignore[attr-defined]
    for key, value in entry.items():
        if isinstance(value, Tensor):
            while key.startswith(PREFIXES):  # in whatever order a model was wrapped
                key = key.partition('.')[2]
            state[key] = value
    return state


def find_entry(checkpoint: dict, state_key: str | None = None) -> dict:
    """Return the dict of a checkpoint that :func:`take_state_dict` takes the tensors of."""
    if state_key is not None and not isinstance(checkpoint.get(state_key), dict):
        raise InputError(
            f'init_cfg.state_key={state_key!r}: the checkpoint has the keys '
            f'{shorten(checkpoint)}. For its usual weights, set state_key=None'
        )
    names = ENTRIES if state_key is None else (state_key,)
    if found := dict(_entries(checkpoint, names)):
        first, *others = found
        if others:
            LOG.info(f'using the weights of {first!r}, not those of {shorten(others)}')
        return found[first]
    if has_tensors(checkpoint):
        return checkpoint
    named = (checkpoint[name] for name in names if isinstance(checkpoint.get(name), dict))
    entry = next(named, checkpoint)
    keys = f'with the keys {shorten(entry)}' if entry else 'without any keys'
    text = f'no weights in a checkpoint {keys}'
    if any(isinstance(value, np.ndarray) for value in entry.values()):
        text += '; its values are NumPy arrays: convert them to tensors with torch.from_numpy'
    elif sets := [key for key, value in checkpoint.items() if has_tensors(value)]:
        text += (
            f'; to use the weights of {" or ".join(map(repr, sets))}, set state_key to that name'
        )
    raise InputError(text)


def _entries(checkpoint: dict, names: Iterable[str], level: int = 1) -> Iterator[tuple[str, dict]]:
    """Yield the entries of these names that have tensors, or have such an entry in turn."""
    for name in names:
        entry = checkpoint.get(name)
        if has_tensors(entry):
            yield name, entry
        elif isinstance(entry, dict) and level < DEEPEST:
            inside = next(_entries(entry, ENTRIES, level + 1), None)
            if inside:
                yield name, inside[1]


def has_tensors(entry: object) -> bool:
    """Return whether a part of a checkpoint is a dict with tensors."""
    return isinstance(entry, dict) and any(isinstance(x, Tensor) for x in entry.values())


def stored_size(state: StateDict) -> tuple[int, int] | None:
    """Return the image size that a backbone has noted beside its weights, if it has."""
    sizes = [about.get(IMG_SIZE) for about in getattr(state, '_metadata', {}).values()]
    return next(filter(None, sizes), None)


def without_wrapper(state: StateDict) -> StateDict:
    """Return the keys of a backbone and a linear head, from those of an OpenMMLab model of them.

    The prefix ``backbone.`` goes, ``head.fc.`` becomes ``head.``, and ``head.fc_dist.``, which
    reads the distillation token, ``head_dist.``. A state dict in which no key has the prefix is
    returned as it is.
    """
    if not any(key.startswith('backbone.') for key in state):
        return state
    return rename(state, _BARE)
