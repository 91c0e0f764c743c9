"""Sliced recursive transformer (SReT).

Shen et al., "Sliced Recursive Transformer", ECCV 2022: three stages at strides 8, 16 and 32 behind
a convolutional stem. Every block runs several times in a row with the same weights, each pass with
its own slicing of the attention (``layers.Slicing``) and followed by its own non-linear projection
(``layers.recursion``). Residual coefficients are learned (``CoefficientShortcut``). The
position code is a map, added once after the stem; LayerNorm eps is 1e-6.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import torch
from torch import Tensor, nn

from ..errors import OptionError
from ..layers.drop import make_dropout, require_rate
from ..layers.parts import require_choice
from ..layers.recursion import Recursion, Sweeps, block_row
from ..layers.tokens import PatchEmbed, resize_map, to_map
from .base import PyramidBackbone
from .shared.options import AttentionOptions, choose_arch, require_per_stage
from .shared.starting import Position

_TINY = {
    'stem_dims': (32, 64, 64),
    'embed_dims': (64, 128, 256),
    'num_heads': (2, 4, 8),
    'depths': (2, 5, 3),
    'passes': 2,
    'mlp_ratio': 3.6,
    'nll_ratio': 1.0,
}
_SMALL = {
    **_TINY,
    'stem_dims': (63, 126, 126),
    'embed_dims': (126, 252, 504),
    'num_heads': (3, 6, 12),
    'mlp_ratio': 3.0,
    'nll_ratio': 2.0,
}
GROUPS = ((8, 2), (4, 1), (1, 1))  # published: (pass 1, pass 2) of each stage


def _groups_per_stage(groups: Sequence[Sequence[int]] | None, stages: int) -> list[Sequence[int]]:
    """Return the numbers of slices of each stage's passes."""
    if groups is None:
        return [[1]] * stages
    listed = isinstance(groups, Sequence) and len(groups) == stages
    if not listed or not all(isinstance(g, Sequence) and g for g in groups):
        raise OptionError(
            f'groups={groups} must hold for each of the {stages} stages the numbers '
            '[pass 1, pass 2, ...], or be None for global attention'
        )
    return list(groups)


class PatchStem(PatchEmbed):
    """Image to the map of its patches, as in a plain ViT but smaller."""

    def forward(self, x: Tensor) -> Tensor:
        """Map (N, in_channels, H, W) to (N, C, H / patch_size, W / patch_size), rounded up."""
        return to_map(*super().forward(x))


class Stage(nn.Module):
    """Convolutional pooling (but in the first stage) and the recursive blocks of one resolution.

    Args:
        in_channels: channels of the map that comes in; ``None`` in the first stage.
        embed_dims: width of the stage, a multiple of ``in_channels``.
        with_cls_token: whether a class token comes in as well.
        rates: stochastic depth of each block.
        recursion: the passes of the blocks.
        options: further arguments of every :class:`~vitbackbones.layers.RecursiveBlock`.
    """

    def __init__(
        self,
        in_channels: int | None,
        embed_dims: int,
        with_cls_token: bool,
        rates: Sequence[float],
        recursion: Recursion,
        **options,
    ) -> None:
        super().__init__()
        self.pool: nn.Module = nn.Identity()
        self.pool_token: nn.Module = nn.Identity()
        if in_channels is not None:
            self.pool = nn.Conv2d(
                in_channels, embed_dims, 3, stride=2, padding=1, groups=in_channels
            )
            if with_cls_token:
                self.pool_token = nn.Linear(in_channels, embed_dims)
        each = [{'drop_path_rate': rate} for rate in rates]
        self.blocks = block_row(each, recursion, embed_dims=embed_dims, **options)

    def embed(self, x: Tensor, token: Tensor | None) -> tuple[Tensor, torch.Size]:
        """Map (N, in_channels, H, W) to tokens (N, [1 +] h * w, C) and (h, w).

        ``token`` (N, 1, in_channels) is the class token if there is one.
        """
        x = self.pool(x)
        tokens = x.flatten(2).transpose(1, 2)  # (N, h * w, C)
        if token is not None:
            tokens = torch.cat([self.pool_token(token), tokens], 1)
        return tokens, x.shape[2:]


class SReT(AttentionOptions, PyramidBackbone):
    """SReT with interchangeable attention and shortcut, sliced or (``groups=None``) global.

    Made for ``img_size`` is the position code. The shortcut is also that of the projections. The
    ``drop_path_rate`` r acts as published: r * i / (number of all passes) in the k-th block of a
    stage, where i is k plus the number of passes in earlier stages, so at most 0.8 r.

    Args:
        groups: for each stage the attention's number of groups in each pass (the last number
            serves all further passes); ``None`` for global attention. Any token count works.
        passes: how often each block runs; the arch's by default.
        nll_ratio: hidden width of the projections in units of the width, 0 for none; the arch's by
            default.
        nll, loop, permutation, mixed_depth, mixed_loss: as of
            :class:`~vitbackbones.layers.Recursion`; a row of blocks is a stage's.
        stem: ``'conv'``, three convolutions, or ``'patch'``, one of 8 x 8 pixels, for the rows of
            the paper's Table 3 without the stem.
        with_cls_token: whether there is a class token, for its rows with one. The paper does not
            say where it goes; here as in PiT, which the published code derives from: it stands
            before the tokens of every stage, without a position, and a linear layer widens it
            between two.
        options: arguments of :class:`~vitbackbones.backbones.shared.options.AttentionOptions`
            and :class:`~vitbackbones.backbones.base.PyramidBackbone`, which describe them.
    """

    archs = {
        't': _TINY,
        'tl': {**_TINY, 'mlp_ratio': 4.0},
        's': _SMALL,
        # Below: readings of ours, no code or weights were published. Parameters with 1000
        # classes. SReT-B: 70.8 M of the printed 71.2 M. The paper's Table 12 as printed has 1344
        # channels in the last stage and then 144.7 M; with 672 it agrees to 0.5 %.
        'b': {
            **_SMALL,
            'stem_dims': (96, 168, 336),
            'embed_dims': (336, 672, 672),
            'num_heads': (8, 16, 16),
        },
        # SReT-ExT: 4.01 M and 0.68 G multiply-adds of the printed 4.0 M and 0.7 G. The paper gives
        # no layout; this is T with narrower stages and its blocks moved to the last.
        'ext': {
            **_TINY,
            'stem_dims': (28, 56, 56),
            'embed_dims': (56, 112, 224),
            'depths': (1, 3, 4),
        },
        # SReT-108: 27 blocks of four passes, 14.2 M of the printed "13-15 M". The paper gives no
        # layout; widths and (nearly) the stages' shares of the depth are T's.
        '108': {**_TINY, 'depths': (6, 14, 7), 'passes': 4},
    }
    classifiers = {
        **{f'sret_{arch}': {'arch': arch} for arch in archs},
        **{f'sret_{arch}_global': {'arch': arch, 'groups': None} for arch in ('t', 'tl', 's')},
    }
    torch_head = True
    default_parts = {**AttentionOptions.default_parts, 'shortcut': {'type': 'CoefficientShortcut'}}
    # what the shortcuts learn too, as the published ones are 1-D biases
    undecayed = ('cls_token', 'pos_embed', '*.shortcut*')
    has_cls_token = True

    def __init__(
        self,
        arch: str | dict = 's',
        out_indices: int | str | Sequence[int] = (0, 1, 2),
        groups: Sequence[Sequence[int]] | None = GROUPS,
        permutation: str | Sequence[str] = 'fixed',
        passes: int | None = None,
        loop: str = 'internal',
        nll_ratio: float | None = None,
        nll: str | None = 'per_pass',
        mixed_depth: bool = False,
        mixed_loss: str = 'mean',
        stem: str = 'conv',
        with_cls_token: bool = False,
        **options,
    ) -> None:
        own = {'passes': passes, 'nll_ratio': nll_ratio}
        settings = choose_arch(self.archs, arch)
        settings = settings | {key: value for key, value in own.items() if value is not None}
        require_per_stage(settings, 'embed_dims', 'num_heads')
        dims = settings['embed_dims']
        super().__init__(dims, 8, out_indices=out_indices, **options)
        require_rate(self.drop_path_rate)
        if self.out_type == 'cls_token' and not with_cls_token:
            raise OptionError("out_type='cls_token' requires with_cls_token=True; or use 'pooled'")
        self.recursion = Recursion(
            passes=settings['passes'],
            nll_ratio=settings['nll_ratio'],
            nll=nll,
            loop=loop,
            permutation=permutation,
            mixed_depth=mixed_depth,
            mixed_loss=mixed_loss,
        )
        self._embed(settings, stem, with_cls_token)
        self.pos_drop = make_dropout(self.drop_rate)
        groups = _groups_per_stage(groups, len(dims))
        depths = settings['depths']
        passes = self.recursion.passes
        self.stages = nn.ModuleList()
        for i, depth in enumerate(depths):
            earlier = passes * sum(depths[:i])  # passes in earlier stages
            rates = [
                self.drop_path_rate * (earlier + k) / (passes * sum(depths)) for k in range(depth)
            ]
            stage = Stage(
                dims[i - 1] if i else None,
                dims[i],
                with_cls_token,
                rates,
                replace(self.recursion, groups=groups[i]),
                num_heads=settings['num_heads'][i],
                mlp_ratio=settings['mlp_ratio'],
                **self.block_options,
            )
            self.stages.append(stage)
        is_map = self.out_type == 'featmap'
        self.norm = nn.Identity() if is_map else nn.LayerNorm(dims[-1], eps=1e-6)

    def _embed(self, settings: dict, stem: str, with_cls_token: bool) -> None:
        """Make the stem, the position code and the class token."""
        require_choice('stem', stem, ('conv', 'patch'))
        width = settings['embed_dims'][0]
        if stem == 'conv':
            if len(settings['stem_dims']) != 3 or settings['stem_dims'][-1] != width:
                raise OptionError(
                    f'arch.stem_dims={settings["stem_dims"]!r}: must be the channels after each of '
                    f'three convolutions, {width} after the last as arch.embed_dims begins'
                )
            layers = []  # each convolution halves the resolution (rounded up)
            for before, after in pairwise((self.in_channels, *settings['stem_dims'])):
                conv = nn.Conv2d(before, after, 3, stride=2, padding=1)
                layers += [conv, nn.BatchNorm2d(after), nn.ReLU(inplace=True)]
            self.patch_embed: nn.Module = nn.Sequential(*layers)
        else:
            self.patch_embed = PatchStem(self.in_channels, width, 8)
        # trunc-normal as published; the rest keeps torch's own initialization
        code = torch.zeros(1, width, *self.grid)
        self.pos_embed = nn.Parameter(nn.init.trunc_normal_(code, std=0.02))
        token = nn.init.trunc_normal_(torch.zeros(1, 1, width), std=0.02)
        self.cls_token = nn.Parameter(token) if with_cls_token else None

    def forward(self, image: Tensor) -> tuple[Tensor, ...]:
        """Map images (N, in_channels, H, W) to the maps of ``out_indices`` or to one vector."""
        # channels last, so that maps are tokens already and are never copied in between
        x = self.patch_embed(image.contiguous(memory_format=torch.channels_last))
        x = self.pos_drop(x + resize_map(self.pos_embed, x.shape[2:]))
        branches = self.run_branches(self._trunk, x)
        if self.out_type == 'featmap':
            return tuple(x.contiguous() for x in branches[-1])
        return tuple(self.norm(vector) for (vector,) in branches)

    def _trunk(self, x: Tensor, sweeps: Sweeps) -> list[Tensor]:
        """Run the stages on the map x (N, C, h, w); return maps, or one vector (N, C)."""
        token = None
        maps = []
        if self.cls_token is not None:
            token = self.cls_token.expand(x.shape[0], -1, -1)  # (N, 1, C)
        for i, stage in enumerate(self.stages):
            tokens, size = stage.embed(x, token)
            tokens = self.run_row(stage.blocks, tokens, size, sweeps)
            if token is not None:
                token = tokens[:, :1]
                tokens = tokens[:, 1:]
            x = tokens.transpose(1, 2).unflatten(2, size)  # (N, h * w, C) -> (N, C, h, w)
            if i in self.out_indices:
                maps.append(x)
        if self.out_type == 'featmap':
            return maps
        return [x.mean((2, 3)) if token is None or self.out_type == 'pooled' else token[:, 0]]

    def positions(self) -> Iterator[Position]:
        """Yield the one code, a map, which is resized bicubically."""
        yield Position('pos_embed', 0, self.grid, 'bicubic')
