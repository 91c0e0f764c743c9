"""Renaming of keys by rules, for the layouts whose tensors are ours under other names."""

import re

from torch import Tensor


def rename(state: dict[str, Tensor], rules: dict[str, str]) -> dict[str, Tensor]:
    """Apply regular expressions (pattern: replacement) one after the other to every key."""
    return {_apply(key, rules): value for key, value in state.items()}


def _apply(key: str, rules: dict[str, str]) -> str:
    for pattern, replacement in rules.items():
        key = re.sub(pattern, replacement, key)
    return key
