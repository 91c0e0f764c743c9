"""The options that hosts share: each is described once, checked once and has one default.

A host takes them by deriving from :class:`BlockOptions`, from :class:`AttentionOptions` if its
blocks attend, or from :class:`RecursionOptions` if these can also run several times, before its
form (:class:`~vitbackbones.backbones.base.PlainBackbone` or
:class:`~vitbackbones.backbones.base.PyramidBackbone`), and by handing its own ``**options`` on to
``super().__init__``. What differs between variants of a host is data: class attributes.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import OptionError
from ...layers import Recursion, drop_path_rates, require_size

UNCHANGED: dict = {}  # of a part: the host's own, as it is

# Which blocks the SETR heads read of 12 and of 24 (Zheng et al., CVPR 2021, and its configs).
SETR_BLOCKS = {
    'setr_naive': {12: (2, 5, 8, 11), 24: (9, 14, 19, 23)},
    'setr_pup': {12: (4, 7, 9, 11), 24: (9, 14, 19, 23)},
    'setr_mla': {12: (2, 5, 8, 11), 24: (5, 11, 17, 23)},
}


class BlockOptions:
    """The options of a host of blocks, whatever is in them.

    Every such host begins with

        arch: a key of the class's table ``archs``, or a dict of its settings (:func:`choose_arch`)

    and takes these with a default of its own, where they have a meaning:

        mlp_ratio: hidden width of the MLPs in units of the width of their tokens.
        final_norm: whether there is the final LayerNorm; SETR's heads have their own.

    Args:
        arguments: of the next constructor.
        in_channels: channels of the image.
        shortcut: configuration of the shortcuts (``vitbackbones.layers``). Without a ``type`` it
            changes options of the host's own, which ``default_parts`` names.
        drop_rate: dropout in the blocks, and on the position code if there is one.
        drop_path_rate: stochastic depth of the last block, in [0, 1); it grows linearly from 0 at
            the first.
        options: of the next constructor, as in the classes below.

    Raises:
        OptionError: an option or a part is unknown, has a bad value, or has no meaning beside the
            others; the same holds for the hosts.
    """

    archs: dict[str, dict]
    default_parts: dict[str, dict] = {'shortcut': {'type': 'IdentityShortcut'}}

    def __init__(
        self,
        *arguments,
        in_channels: int = 3,
        shortcut: dict = UNCHANGED,
        drop_rate: float = 0.0,
        drop_path_rate: float = 0.0,
        **options,
    ) -> None:
        super().__init__(*arguments, **options)
        require_size('in_channels', in_channels)
        self.in_channels = in_channels
        self.drop_rate = drop_rate
        self.drop_path_rate = drop_path_rate
        self.block_options: dict[str, Any] = {
            'shortcut': self.complete_part('shortcut', shortcut),
            'drop_rate': drop_rate,
        }

    def complete_part(self, name: str, given: dict) -> dict:
        """Return ``given``; without a ``type`` it changes the host's own part ``name``."""
        if not isinstance(given, Mapping):
            own = self.default_parts[name]['type']
            raise OptionError(f'{name}={given!r}: must be a dict, such as dict(type={own!r})')
        return given if 'type' in given else {**self.default_parts[name], **given}


class AttentionOptions(BlockOptions):
    """The options of a host whose blocks attend.

    Args:
        attention: configuration of the attention, like ``shortcut``.
        attn_drop_rate: dropout on the attention weights.
        qkv_bias: whether the query, key and value projections have biases.
    """

    default_parts = {**BlockOptions.default_parts, 'attention': {'type': 'DotProductAttention'}}

    def __init__(
        self,
        *arguments,
        attention: dict = UNCHANGED,
        attn_drop_rate: float = 0.0,
        qkv_bias: bool = True,
        **options,
    ) -> None:
        super().__init__(*arguments, **options)
        self.block_options |= {
            'attention': self.complete_part('attention', attention),
            'attn_drop_rate': attn_drop_rate,
            'qkv_bias': qkv_bias,
        }

    def group_projections(self, groups: int) -> None:
        """Let the attention of all blocks have its projections in ``groups`` groups."""
        if groups != 1:
            self.block_options['attention'] = {**self.block_options['attention'], 'groups': groups}


class RecursionOptions(AttentionOptions):
    """The options of a host whose blocks attend and can run several times.

    Args:
        recursion: arguments of :class:`~vitbackbones.layers.Recursion`, such as
            ``dict(passes=2, nll_ratio=1)``; empty if every block runs once.
    """

    def __init__(self, *arguments, recursion: dict = UNCHANGED, **options) -> None:
        super().__init__(*arguments, **options)
        self.recursion = Recursion.read(recursion)


class WindowOptions(RecursionOptions):
    """The options of a plain host whose blocks may attend in windows (``layers.windows``).

    They have the names of mmpretrain's ``ViTSAM``.

    Args:
        window_size: tokens along a side of a window, at most; 14 in ViTDet. ``None`` for global
            attention in every block.
        global_attn_indexes: blocks that stay global: their indices, or how many, evenly spread so
            that the last is one. ViTDet's 4 of 12 blocks are (2, 5, 8, 11). Without windows it has
            no meaning.
    """

    def __init__(
        self,
        *arguments,
        window_size: int | None = None,
        global_attn_indexes: int | Sequence[int] = 4,
        **options,
    ) -> None:
        super().__init__(*arguments, **options)
        if isinstance(global_attn_indexes, int) and global_attn_indexes < 0:
            raise OptionError(f'global_attn_indexes={global_attn_indexes}: must not be negative')
        if window_size is None and global_attn_indexes != 4:
            raise OptionError(
                f'global_attn_indexes={global_attn_indexes!r} requires window_size: without '
                'windows, every block is global'
            )
        self.window_size = window_size
        self.global_attn_indexes = global_attn_indexes

    def own_options(self, depth: int) -> list[dict]:
        """Return what each of ``depth`` blocks has of its own: stochastic depth and windows."""
        given = self.global_attn_indexes
        if isinstance(given, int):  # the last of each of so many equal shares
            chosen = [share * depth // given - 1 for share in range(1, given + 1)]
        else:
            chosen = [*given]
        if self.window_size is not None and not {*chosen} < {*range(depth)}:
            raise OptionError(
                f'global_attn_indexes={given!r}: must be a number of blocks below the depth '
                f'{depth}, or a list of some of their indices, 0 to {depth - 1}'
            )
        return [
            {'drop_path_rate': rate, 'window_size': None if i in chosen else self.window_size}
            for i, rate in enumerate(drop_path_rates(self.drop_path_rate, depth))
        ]


def choose_arch(archs: dict[str, dict], arch: str | dict) -> dict:
    """Return the settings of a variant.

    Args:
        archs: the settings of every variant by its name.
        arch: a name, or a dict of settings. With ``base``, the name of a variant, the dict holds
            what differs from it: ``dict(base='ti', depth=24)``; without, all settings.

    Raises:
        OptionError: an unknown name, unknown or missing settings, or sizes below 1.
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
        least, kind = (0, int | float) if 'ratio' in key else (1, int)
        is_list = isinstance(value, list | tuple)
        entries: Sequence = value if is_list else [value]
        fits = all(isinstance(entry, kind) and entry >= least for entry in entries)
        should_be_list = isinstance(known[key], tuple)  # an entry for each stage
        if not entries or not fits or is_list != should_be_list:
            number = 'integer' if kind is int else 'number'
            form = f'a list with {number}s' if should_be_list else f'one {number}'
            raise OptionError(f'arch.{key}={value!r}: must be {form} of at least {least}')
    return settings


def require_per_stage(settings: dict, *keys: str) -> None:
    """Raise an ``OptionError`` unless the lists under ``keys`` are as long as that of depths."""
    stages = len(settings['depths'])
    for key in keys:
        if len(settings[key]) != stages:
            problem = f'must have an entry for each of the {stages} stages of arch.depths'
            raise OptionError(f'arch.{key}={settings[key]!r}: {problem}')


def choose_indices(out_indices: int | str | Sequence[int], count: int) -> tuple[int, ...]:
    """Return sorted non-negative indices below ``count``; negative ones count from the end.

    A name, such as ``'setr_mla'``, stands for what that head reads.

    Raises:
        OptionError: no index at all, one out of range, or one given twice.
    """
    if isinstance(out_indices, str):
        return published_indices(out_indices, count)
    given: Sequence = out_indices if isinstance(out_indices, Sequence) else (out_indices,)
    if not given or any(not isinstance(i, int) or not -count <= i < count for i in given):
        raise OptionError(
            f'out_indices={out_indices} of {count}: each must be in [-{count}, {count})'
        )
    chosen = tuple(sorted({i % count for i in given}))
    if len(chosen) < len(given):
        raise OptionError(f'out_indices={out_indices}: an index is repeated')
    return chosen


def published_indices(name: str, depth: int) -> tuple[int, ...]:
    """Return which of ``depth`` blocks a SETR head reads, the last one always among them.

    Other depths than 12 and 24 take the same fractions as 12. Fewer than four blocks are all taken.

    Raises:
        OptionError: the name is unknown.
    """
    if name not in SETR_BLOCKS:
        raise OptionError(f'unknown out_indices={name!r}; known names: {", ".join(SETR_BLOCKS)}')
    if depth < 4:
        return tuple(range(depth))
    by_depth = SETR_BLOCKS[name]
    return by_depth.get(depth) or tuple((i + 1) * depth // 12 - 1 for i in by_depth[12])


def input_size(img_size: int | Sequence[int]) -> tuple[int, int]:
    """Return the (height, width) that ``img_size`` means: one side of a square, or both.

    Raises:
        OptionError: ``img_size`` is neither one size in pixels nor two.
    """
    sides = img_size if isinstance(img_size, Sequence) else (img_size, img_size)
    if len(sides) != 2 or any(not isinstance(side, int) or side < 1 for side in sides):
        raise OptionError(f'img_size={img_size}: must be a side in pixels or (height, width)')
    return sides[0], sides[1]


def grid_of(size: tuple[int, int], stride: int) -> tuple[int, int]:
    """Return how many cells of ``stride`` cover each side of ``size``."""
    return math.ceil(size[0] / stride), math.ceil(size[1] / stride)
