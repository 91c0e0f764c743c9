"""Tensors that depend on sizes alone, such as masks: computed once for each size at inference."""

from collections.abc import Callable, Hashable
from typing import Any

import torch
from torch import nn

_MOST = 16  # sizes; a loop over images of all sizes would else keep tensors for every one


def is_traced() -> bool:
    """Return whether the caller is recorded or transformed, so that it needs plain operations.

    That is by ``torch.compile``, ``torch.export``, ``torch.jit.trace`` or ``torch.func``.
    """
    recorded = torch.compiler.is_compiling() or torch.jit.is_tracing()
    return recorded or torch._C._are_functorch_transforms_active()


def is_exported() -> bool:
    """Return whether the caller is recorded by ``torch.export``, as for a file."""
    return torch.compiler.is_compiling() and not torch.compiler.is_dynamo_compiling()


class Constants(nn.Module):
    """Keep what a function returned for its arguments.

    Kept tensors are no part of the state dict, copies and pickles, and are dropped when the module
    moves or changes its type. Nothing can be kept where :func:`is_traced`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.kept = {}

    def forward(self, make: Callable[..., Any], *sizes: Hashable) -> Any:
        """Return ``make(*sizes)``; one ``make`` for each object of this class."""
        kept = self.kept  # other threads may clear or replace it meanwhile
        try:
            return kept[sizes]
        except KeyError:
            # an inference tensor could not be used where a gradient is asked for later
            with torch.inference_mode(False), torch.no_grad():
                made = make(*sizes)
        if len(kept) >= _MOST:
            kept.clear()
        kept[sizes] = made
        return made

    def _apply(self, *arguments, **options) -> 'Constants':
        self.kept = {}
        return super()._apply(*arguments, **options)

    def __getstate__(self) -> dict:
        return {**vars(self), 'kept': {}}
