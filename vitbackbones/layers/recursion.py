"""Recursion: the weights of one block serve several passes (SReT, Eq. 4-10).

Shen et al., "Sliced Recursive Transformer", ECCV 2022. After a pass stands a non-linear projection
layer (NLL), which keeps the recursion from settling into the identity:

    x = NLL_i(T(x))    for pass i,        NLL(x) = shortcut(x, LN(x), MLP(LN(x)))

The passes share all weights of T, coefficients included, but each can cut its attention into its
own number of slices. The paper's Algorithm 1 and Table 14 describe this differently; the
published code, whose parameter counts the paper prints, is followed.

:class:`Recursion` is what a config says of it. A host builds its blocks with :func:`block_row` and
runs them as often as ``Recursion.sweeps`` says (``backbones/base.py``).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from torch import Tensor, nn

from ..errors import OptionError
from ..utils.messages import did_you_mean
from .attention import PERMUTATIONS, Slicing
from .block import Block, Mlp, build_shortcut
from .parts import require_choice, require_size

# What the blocks of a row get beside tokens and grid, for every sweep over the row.
Sweeps = tuple[tuple, ...]
ONCE: Sweeps = ((),)  # a row of plain blocks
SHALLOW: Sweeps = (((0,), False),)  # recursive blocks: the first pass without its projection


@dataclass(frozen=True)
class Recursion:
    """How often the blocks of a row run, and what each pass has of its own.

    With ``mixed_depth`` (the paper's Fig. 8 d) a second, shallow branch runs every block once and
    without projections. It shares all weights with the recursive branch and brings a short path to
    every block. The paper leaves open where the branches meet. Here both run through the host
    apart, and one head reads both.

    Args:
        passes: how often each block runs.
        nll_ratio: hidden width of the projections in units of the width, 0 for no projections.
        nll: ``'per_pass'``: every block has a projection for each pass; ``'shared'``: every block
            has one for all its passes; ``'per_sweep'``: the row has one for each sweep, after its
            last block; ``None``: there are none, whatever ``nll_ratio``.
        loop: ``'internal'`` repeats each block in place, ``'external'`` the whole row. The sizes
            that the paper prints of its external loop (Sec. 5.2) have ``nll='per_sweep'``.
        groups: number of slices of the attention in each pass (``Slicing``); ``None`` for none.
        permutation: how the passes after the first shuffle the tokens before they are sliced
            (``Slicing``), or one such word for each pass.
        mixed_depth: whether there is a second, shallow branch.
        mixed_loss: ``'mean'`` of the two branches' outputs, so that one loss reaches both.
            ``'both'``, the paper's "stronger supervision": in training a classifier has a loss of
            each branch by the same head, and the mean of both losses is minimized; in eval mode the
            recursive branch runs alone.

    The last entry of ``groups`` and of a list of ``permutation`` serves all further passes.

    Raises:
        OptionError: a value is bad, or has no meaning beside the others.
    """

    passes: int = 2
    nll_ratio: float = 0.0
    nll: str | None = 'per_pass'
    loop: str = 'internal'
    groups: Sequence[int] | None = None
    permutation: str | Sequence[str] = 'fixed'
    mixed_depth: bool = False
    mixed_loss: str = 'mean'

    @classmethod
    def read(cls, config: Mapping) -> 'Recursion | None':
        """Return what ``config`` says, ``None`` if it is empty: every block runs once.

        Raises:
            OptionError: it is no dict of arguments of this class, or one is bad.
        """
        known = [field.name for field in fields(cls)]
        if not isinstance(config, Mapping):
            raise OptionError(f'recursion={config!r}: must be a dict, such as dict(passes=2)')
        for key in config:
            if key not in known:
                hint = did_you_mean(str(key), known) or f'; known: {", ".join(known)}'
                raise OptionError(f'recursion has no option {key!r}{hint}')
        if 'permutation' in config and config.get('groups') is None:
            raise OptionError('permutation requires groups: without slices, nothing is shuffled')
        return cls(**config) if config else None

    def __post_init__(self) -> None:
        require_size('passes', self.passes)
        if not isinstance(self.nll_ratio, int | float) or not 0 <= self.nll_ratio < math.inf:
            problem = 'must be a width, or 0 for no projections'
            raise OptionError(f'nll_ratio={self.nll_ratio!r}: {problem}')
        require_choice('nll', self.nll, ('per_pass', 'per_sweep', 'shared', None))
        require_choice('loop', self.loop, ('internal', 'external'))
        require_choice('mixed_depth', self.mixed_depth, (False, True))
        require_choice('mixed_loss', self.mixed_loss, ('mean', 'both'))
        if self.groups is not None and not _is_list(self.groups):
            problem = 'must be a list, the number of slices of each pass'
            raise OptionError(f'groups={self.groups!r}: {problem}')
        if not isinstance(self.permutation, str) and not _is_list(self.permutation):
            problem = 'must be a word, or a list of one for each pass'
            raise OptionError(f'permutation={self.permutation!r}: {problem}')
        words = [self.permutation] if isinstance(self.permutation, str) else self.permutation
        for word in words:
            require_choice('permutation', word, PERMUTATIONS)
        # what has no meaning beside the others
        if self.nll in ('per_sweep', 'shared') and not self.nll_ratio:
            raise OptionError(f'nll={self.nll!r} requires nll_ratio, the width of the projections')
        if self.nll == 'per_sweep' and self.loop == 'internal':
            raise OptionError(
                "nll='per_sweep' requires loop='external': an internal loop sweeps over the row "
                'only once'
            )
        if self.mixed_depth and self.passes == 1 and not self.has_projections:
            raise OptionError(
                'mixed_depth: with passes=1 and no projections, the two branches are equal'
            )
        if self.mixed_loss != 'mean' and not self.mixed_depth:
            raise OptionError(
                f'mixed_loss={self.mixed_loss!r} requires mixed_depth=True: otherwise there is '
                'only one branch'
            )

    @property
    def sweeps(self) -> Sweeps:
        """The passes that every block runs in each sweep, as further arguments of the blocks."""
        passes = range(self.passes)
        if self.loop == 'internal':
            return ((tuple(passes),),)
        return tuple(((i,),) for i in passes)

    @property
    def has_projections(self) -> bool:
        """Whether any projection stands between the passes."""
        return self.nll is not None and self.nll_ratio > 0

    @property
    def has_two_losses(self) -> bool:
        """Whether each branch has a loss of its own."""
        return self.mixed_loss == 'both'

    def of_block(self, i: int, count: int) -> 'Recursion':
        """Return what block ``i`` of a row of ``count`` is built with."""
        return replace(self, nll=None) if self.nll == 'per_sweep' and i < count - 1 else self

    def slicings(self) -> nn.ModuleList:
        """Return the slicing of each pass; an empty list without ``groups``."""
        if self.groups is None:
            return nn.ModuleList()
        words = self.permutation
        words = ['none', words] if isinstance(words, str) else words
        pairs = zip(_filled(self.groups, self.passes), _filled(words, self.passes), strict=True)
        return nn.ModuleList(Slicing(count, word) for count, word in pairs)

    def projections(self, embed_dims: int, **options) -> nn.ModuleList:
        """Return the projections of one block, one for each pass or one for all."""
        count = 1 if self.nll == 'shared' else self.passes
        return nn.ModuleList(
            NonLinearProjection(embed_dims, self.nll_ratio, **options)
            if self.has_projections
            else nn.Identity()
            for _ in range(count)
        )


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and len(value) > 0


def _filled(given: Sequence, count: int) -> list:
    """Return ``count`` entries; the last one given serves all further."""
    return [*given, *[given[-1]] * count][:count]


class NonLinearProjection(nn.Module):
    """A residual MLP on every token; never dropped by stochastic depth.

    Args:
        embed_dims: width of the tokens.
        ratio: hidden width in units of ``embed_dims``.
        shortcut: configuration of the shortcut (see ``layers.build_shortcut``).
        drop_rate: dropout after each layer of the MLP.
        norm_eps: epsilon of the LayerNorm.
    """

    def __init__(
        self,
        embed_dims: int,
        ratio: float,
        shortcut: dict,
        drop_rate: float = 0.0,
        norm_eps: float = 1e-6,
    ) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(embed_dims, eps=norm_eps)
        self.mlp = Mlp(embed_dims, int(embed_dims * ratio), drop_rate)
        self.shortcut = build_shortcut(shortcut, embed_dims, 'mlp')

    def forward(self, x: Tensor) -> Tensor:
        """Map (N, L, C) to (N, L, C)."""
        n = self.norm(x)
        return self.shortcut(x, n, self.mlp(n))


class Recursive(nn.Module):
    """What makes a class of blocks recursive: ``class RecursiveBlock(Recursive, Block)``.

    The block's own parameters keep their keys; beside them are the projections, ``nlls``, with
    the shortcut, the dropout and the epsilon of the block.

    Args:
        embed_dims: width of the tokens.
        recursion: the passes and what each has of its own.
        arguments, options: of the block.

    Raises:
        OptionError: slices of an attention that reads spatially reduced keys, or in windows.
    """

    def __init__(self, embed_dims: int, *arguments, recursion: Recursion, **options) -> None:
        super().__init__(embed_dims, *arguments, **options)
        if recursion.groups is not None and options.get('reduction') is not None:
            raise OptionError(
                'groups: keys and values are spatially reduced here, so queries and keys cannot '
                'be split into the same slices'
            )
        in_windows = options.get('window_size') or options.get('window')
        if recursion.groups is not None and in_windows:
            raise OptionError('groups: the attention uses windows here, not slices')
        own = {key: options[key] for key in ('shortcut', 'drop_rate', 'norm_eps') if key in options}
        self.slicings = recursion.slicings()
        self.nlls = recursion.projections(embed_dims, **own)

    def forward(
        self,
        x: Tensor,
        size: tuple[int, int],
        passes: Sequence[int],
        project: bool = True,
        **biased,
    ) -> Tensor:
        """Run the numbered ``passes``, each with its projection if ``project``.

        Maps tokens (N, L, C) to (N, L, C); ``size`` (h, w) is the grid of the last h * w tokens.
        ``biased`` may hold the ``bias`` of a :class:`~vitbackbones.layers.Block`.
        """
        for i in passes:
            x = self.single_pass(x, size, i, **biased)
            x = self.nlls[i % len(self.nlls)](x) if project else x
        return x

    def single_pass(self, x: Tensor, size: tuple[int, int], i: int = 0, **biased) -> Tensor:
        """Run pass ``i`` without its projection; arguments as of :meth:`forward`."""
        return super().forward(x, size, *self.slicings[i : i + 1], **biased)


class RecursiveBlock(Recursive, Block):  # type: ignore[misc]
    """A transformer block that runs several times; arguments as of both."""


def block_row(
    each: Sequence[dict],
    recursion: Recursion | None,
    once: Callable[..., nn.Module] = Block,
    repeated: Callable[..., nn.Module] = RecursiveBlock,
    **common,
) -> nn.ModuleList:
    """Return a row of blocks, ``once``, or ``repeated`` where there is recursion.

    Block i is built with the arguments ``each[i]`` and with those that are ``common`` to all.
    """
    if recursion is None:
        return nn.ModuleList(once(**common, **own) for own in each)
    return nn.ModuleList(
        repeated(recursion=recursion.of_block(i, len(each)), **common, **own)
        for i, own in enumerate(each)
    )
