"""The weights of a backbone out of a file: without other entries, and the model around it."""

import re

from torch import Tensor

from ...errors import InputError
from ...utils.messages import shorten

StateDict = dict[str, Tensor]
PREFIXES = ('module.', '_orig_mod.')  # of torch's parallel wrappers and of torch.compile
_BARE = {r'^head\.fc_dist\.': 'head_dist.', r'^head\.fc\.': 'head.', r'^backbone\.': ''}
ENTRIES = ('state_dict_ema', 'state_dict', 'model')  # published results are those of an average


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
    if state_key is not None and not isinstance(checkpoint.get(state_key), dict):
        raise InputError(
            f'init_cfg.state_key={state_key!r}: the checkpoint has the keys {shorten(checkpoint)}; '
            'for its usual weights set state_key=None there'
        )
    names = ENTRIES if state_key is None else (state_key,)
    found = (checkpoint[name] for name in names if isinstance(checkpoint.get(name), dict))
    entry = next(found, checkpoint)
    state = {}
    for key, value in entry.items():
        if isinstance(value, Tensor):
            while key.startswith(PREFIXES):  # in whatever order a model was wrapped
                key = key.partition('.')[2]
            state[key] = value
    if not state:
        keys = f'with the keys {shorten(entry)}' if entry else 'without any keys'
        raise InputError(f'no weights in a checkpoint {keys}')
    return state


def without_wrapper(state: StateDict) -> StateDict:
    """Return the keys of a backbone and a linear head, from those of an OpenMMLab model of them.

    The prefix ``backbone.`` goes, ``head.fc.`` becomes ``head.``, and ``head.fc_dist.``, which
    reads the distillation token, ``head_dist.``. A state dict in which no key has the prefix is
    returned as it is.
    """
    if not any(key.startswith('backbone.') for key in state):
        return state
    return rename(state, _BARE)
