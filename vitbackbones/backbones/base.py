"""The contract that every backbone keeps.

``forward(image (N, 3, H, W))`` returns a tuple with one entry per ``out_indices``. With
``out_type='featmap'`` an entry is a map (N, C, ceil(H / stride), ceil(W / stride)); any image size
is padded inside, never refused. With ``'cls_token'`` or ``'pooled'`` it is a vector (N, C) for a
classification head, as in mmpretrain. ``out_channels`` and ``out_strides`` say what comes out.
Images are taken in any floating type, and computed in that of the weights.
"""

import inspect
from collections.abc import Iterator, Sequence
from itertools import chain

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from ..checkpoints.filling import load_pretrained, pretrained_options
from ..errors import InputError, OptionError
from ..layers import fit_position, fuse_for_inference, number_slices
from .setr_indices import published_taps

OUT_TYPES = ('featmap', 'cls_token', 'pooled')


def choose_arch(archs: dict[str, dict], arch: str | dict) -> dict:
    """Return the settings of a variant.

    Args:
        archs: the settings of every variant by its name.
        arch: a name, or a dict of settings. With ``base``, the name of a variant, the dict holds
            what differs from it: ``dict(base='ti', depth=24)``; without, all settings.

    Raises:
        OptionError: a name of no variant, unknown or missing settings, or sizes below 1.
    """
    if not isinstance(arch, dict):
        if str(arch) not in archs:
            raise OptionError(f'unknown arch {arch!r}; known: {", ".join(archs)}')
        return archs[str(arch)]  # a bare 14 names '14'
    known = next(iter(archs.values()))
    changes = {key: value for key, value in arch.items() if key != 'base'}
    if unknown := sorted(changes.keys() - known.keys()):
        raise OptionError(f'arch has no {", ".join(unknown)}; known: base, {", ".join(known)}')
    settings = {**(choose_arch(archs, arch['base']) if 'base' in arch else {}), **changes}
    if missing := [key for key in known if key not in settings]:
        names = ', '.join(map(repr, archs))
        raise OptionError(
            f'arch lacks {", ".join(missing)}; add base, one of {names}, for the rest'
        )
    for key, value in changes.items():
        _require_sizes(key, value, listed=isinstance(known[key], tuple))
    return settings


def _require_sizes(key: str, value, listed: bool) -> None:
    """Refuse what is no size, or no ratio; ``listed`` where each stage has its own."""
    least, kind = (0, int | float) if 'ratio' in key else (1, int)
    entries = value if isinstance(value, list | tuple) else [value]
    fits = all(isinstance(entry, kind) and entry >= least for entry in entries)
    if not entries or not fits or listed != isinstance(value, list | tuple):
        numbers = 'whole numbers' if kind is int else 'numbers'
        form = 'a list' if listed else 'one'
        raise OptionError(f'arch.{key}={value!r}: must be {form} of the {numbers} from {least}')


def choose_indices(out_indices: int | str | Sequence[int], count: int) -> tuple[int, ...]:
    """Return sorted non-negative indices below ``count``; negative ones count from the end.

    A name, such as ``'setr_mla'``, stands for what that head reads (``taps``).

    Raises:
        OptionError: there is none, one is out of range, or two are the same.
    """
    if isinstance(out_indices, str):
        return published_taps(out_indices, count)
    given = tuple(out_indices) if isinstance(out_indices, Sequence) else (out_indices,)
    if not given or any(not isinstance(i, int) or not -count <= i < count for i in given):
        raise OptionError(
            f'out_indices={out_indices} of {count}: each must be in [-{count}, {count})'
        )
    chosen = tuple(sorted({i % count for i in given}))
    if len(chosen) < len(given):
        raise OptionError(f'out_indices={out_indices} of {count}: one is repeated')
    return chosen


def _to_own_type(backbone: nn.Module, images: tuple[Tensor]) -> tuple[Tensor, ...]:
    """Let ``model.half()`` do: the toolboxes' data preprocessors give float32 whatever it is.

    Images of bytes, which nobody has normalised, stay as they are and are refused.
    """
    dtype = next(backbone.parameters()).dtype
    return tuple(image.to(dtype) if image.is_floating_point() else image for image in images)


def input_size(img_size: int | Sequence[int]) -> tuple[int, int]:
    """Return (height, width) of the images that ``img_size`` means, a side or both.

    Raises:
        OptionError: it is neither.
    """
    sides = tuple(img_size) if isinstance(img_size, Sequence) else (img_size, img_size)
    if len(sides) != 2 or any(not isinstance(side, int) or side < 1 for side in sides):
        raise OptionError(f'img_size={img_size}: a side in pixels or (height, width), from 1')
    return sides


class Backbone(nn.Module):
    """Base of all backbones; see the module docstring for the contract.

    A subclass sets ``out_channels`` and ``out_strides`` and gives :meth:`parts_by_stage`,
    :meth:`layer_depth`, :meth:`positions` and ``forward``.

    Args:
        out_type: ``'featmap'``, ``'cls_token'`` or ``'pooled'``.
        frozen_stages: freeze the stem (0) and the first so many stages; -1 for nothing.
        with_cp: recompute blocks in the backward pass to save memory.
        init_cfg: ``dict(type='Pretrained', checkpoint=FILE, allow_missing=[PATTERN, ...])`` to
            start from a checkpoint of any known layout.
    """

    out_channels: tuple[int, ...]
    out_strides: tuple[int, ...]

    def __init__(
        self,
        out_type: str = 'featmap',
        frozen_stages: int = -1,
        with_cp: bool = False,
        init_cfg: dict | None = None,
    ) -> None:
        super().__init__()
        if out_type not in OUT_TYPES:
            raise OptionError(f'out_type={out_type!r} is none of {OUT_TYPES}')
        self.out_type = out_type
        self.frozen_stages = frozen_stages
        self.with_cp = with_cp
        self.init_cfg = init_cfg
        self._register_load_state_dict_pre_hook(self._adapt_on_load)
        self.register_forward_pre_hook(_to_own_type)

    # -- what a subclass says of itself ------------------------------------------------------

    def parts_by_stage(self) -> list[list[nn.Module | nn.Parameter]]:
        """Return the stem and then each stage, as lists of modules and parameters."""
        raise NotImplementedError

    def layer_depth(self, name: str) -> tuple[int, int]:
        """Return the depth of parameter ``name`` (0: stem) and the number of depths."""
        raise NotImplementedError

    def positions(self) -> Iterator[tuple[str, int, tuple[int, int], str]]:
        """Yield (key, class tokens, grid, interpolation) of every learned position code."""
        raise NotImplementedError

    def no_weight_decay(self) -> set[str]:
        """Return the names of parameters that the published recipe does not decay."""
        return set()

    # -- what follows from it ----------------------------------------------------------------

    def run_block(self, block: nn.Module, *inputs) -> Tensor:
        """Run a block, with activation checkpointing if ``with_cp``."""
        if self.with_cp and torch.is_grad_enabled():
            return checkpoint(block, *inputs, use_reentrant=False)
        return block(*inputs)

    @classmethod
    def default_part(cls, name: str) -> dict:
        """Return the default of the argument ``name`` if it is the configuration of a part."""
        constructors = (vars(base)['__init__'] for base in cls.__mro__ if '__init__' in vars(base))
        arguments = (inspect.signature(constructor).parameters for constructor in constructors)
        default = next((known[name].default for known in arguments if name in known), None)
        return default if isinstance(default, dict) else {}

    def complete_part(self, name: str, given: dict) -> dict:
        """Return ``given``; without a ``type`` it changes the default of the argument ``name``."""
        return given if 'type' in given else {**self.default_part(name), **given}

    def complete(self) -> None:
        """End the construction; a subclass calls it when all its parts are there.

        Raises:
            OptionError: ``frozen_stages`` is out of range.
        """
        stages = len(self.parts_by_stage()) - 1
        if not isinstance(self.frozen_stages, int) or not -1 <= self.frozen_stages <= stages:
            raise OptionError(f'frozen_stages={self.frozen_stages!r}: a number in [-1, {stages}]')
        number_slices(self)
        self.freeze()

    def freeze(self) -> None:
        """Stop the gradients, dropout and running statistics of the frozen stages."""
        for part in chain(*self.parts_by_stage()[: self.frozen_stages + 1]):
            part.requires_grad_(False)
            if isinstance(part, nn.Module):
                part.eval()

    def train(self, mode: bool = True) -> 'Backbone':
        """Set the mode of all but the frozen stages."""
        super().train(mode)
        self.freeze()
        return self

    def fuse_for_inference(self) -> 'Backbone':
        """Return a faster copy in eval mode with the same outputs; see ``layers.fuse``."""
        return fuse_for_inference(self)

    def init_weights(self) -> None:
        """Load the checkpoint of ``init_cfg``; without one the constructor's values stay.

        Raises:
            InputError: the checkpoint does not fill the backbone.
        """
        options = pretrained_options(self.init_cfg)
        if options is not None:
            load_pretrained(self, **options)
            return
        if self.init_cfg:  # of another type, which is OpenMMLab's
            from mmengine.model import initialize

            initialize(self, self.init_cfg)
        for part in self.children():
            if hasattr(part, 'init_weights'):
                part.init_weights()

    def adapt_state_dict(self, state: dict[str, Tensor], prefix: str = '') -> dict[str, Tensor]:
        """Return ``state`` with the position codes resized to this model's input size.

        Raises:
            InputError: a position code is of no grid, or lacks this model's class token.
        """
        state = dict(state)
        stored = [entry for entry in self.positions() if prefix + entry[0] in state]
        for key, extra, size, mode in stored:
            try:
                state[prefix + key] = fit_position(state[prefix + key], extra, size, mode)
            except OptionError as error:
                raise InputError(f'{prefix}{key}: {error}') from error
        return state

    def _adapt_on_load(self, state: dict[str, Tensor], prefix: str, *args) -> None:
        state.update(self.adapt_state_dict(state, prefix))
