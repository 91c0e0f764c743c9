"""Renaming of keys by rules, for the layouts whose tensors are ours under other names."""

import re

from torch import Tensor


def rename(state: dict[str, Tensor], rules: dict[str, str]) -> dict[str, Tensor]:
    """Apply regular expressions (pattern: replacement) one after the other to every key."""
    renamed = {}
    for key, value in state.items():
        for pattern, replacement in rules.items():
            key = re.sub(pattern, replacement, key)
        renamed[key] = value
    return renamed
