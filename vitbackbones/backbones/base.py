"""The contract that every backbone keeps, and the two forms that it takes here.

``forward(image (N, 3, H, W))`` returns a tuple with one entry per ``out_indices``. With
``out_type='featmap'`` an entry is a map (N, C, ceil(H / stride), ceil(W / stride)); any image size
is padded inside, never refused. With ``'cls_token'`` or ``'pooled'`` it is a vector (N, C) for a
classification head, as in mmpretrain; with ``'cls_dist_tokens'`` the class token and DeiT's
distillation token, (N, 2, C). ``out_channels`` and ``out_strides`` say what comes out. Images are
taken in any floating type, and computed in that of the weights.

A subclass of :class:`Backbone` needs an ``__init__`` and a ``forward``; all else is derived from
its parts, see docs/adding_a_backbone.md. :class:`PlainBackbone` is for hosts of one resolution,
:class:`PyramidBackbone` for those of several, each half of the one before.
"""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import chain
from typing import Any

import torch
from torch import Tensor, nn
from typing_extensions import Self

from ..errors import OptionError
from ..layers.attention import number_slices
from ..layers.block import keep_first_token
from ..layers.fuse import fuse_for_inference
from ..layers.parts import require_choice, require_size
from ..layers.recursion import Sweeps
from ..layers.tokens import UNKNOWN, Origin, average_map, resize_position, to_map
from ..weights.read.pickles import IMG_SIZE
from .shared.contract import FinishedType, contract_broken, note_img_size, require_tuple
from .shared.joining import Joinable
from .shared.options import choose_indices, grid_of, input_size
from .shared.running import RunsBlocks, cast_to_parameter_dtype
from .shared.starting import InitCfgMixin, Position, fit_channels, fit_positions

OUT_TYPES = ('featmap', 'cls_token', 'pooled', 'cls_dist_tokens')


class Backbone(RunsBlocks, InitCfgMixin, metaclass=FinishedType):
    """Base of all backbones; see the module docstring for the contract.

    Args:
        out_type: ``'featmap'``, ``'cls_token'``, ``'pooled'`` or ``'cls_dist_tokens'``.
        frozen_stages: freeze the stem (0) and the first so many stages; -1 for nothing.
        with_cp: recompute blocks in the backward pass to save memory (:meth:`run_block`).
        init_cfg: ``dict(type='Pretrained', checkpoint=FILE, allow_missing=[PATTERN, ...])`` to
            start from a checkpoint of any known layout (:class:`InitCfgMixin`).

    What a subclass may say of itself, as class attributes or, the first two, in its constructor:

    Attributes:
        out_channels: channels of each output.
        out_strides: stride of each output.
        stages_name: attribute that holds the stages; by default ``blocks`` or ``stages``, a
            ``nn.ModuleList``.
        after_stages: attributes of what follows the last stage. All others are the stem.
        undecayed: patterns of the parameters that the published recipe does not decay.
        classifiers: arguments of the constructor by name for ``vitbackbones.create_model``.
        head_input: what a classification head reads, ``'cls_token'`` or ``'pooled'``.
        torch_head: whether the published code leaves a head as torch initializes it.
        preprocessing: where its images are made otherwise than ``backbones.preprocessing`` says.
    """

    out_channels: tuple[int, ...] = ()
    out_strides: tuple[int, ...] = ()
    stages_name = ''
    after_stages: tuple[str, ...] = ('norm',)
    undecayed: tuple[str, ...] = ()
    classifiers: dict[str, dict] = {}
    head_input = 'pooled'
    torch_head = False
    preprocessing: dict = {}
    in_channels = 3  # of the images that it is made for, and their (height, width)
    img_size: tuple[int, int] = (224, 224)
    norm: nn.Module

    def __init__(
        self,
        out_type: str = 'featmap',
        frozen_stages: int = -1,
        with_cp: bool = False,
        init_cfg: dict | None = None,
    ) -> None:
        super().__init__()
        require_choice('out_type', out_type, OUT_TYPES)
        self.out_type = out_type
        self.frozen_stages = frozen_stages
        self.with_cp = with_cp
        self.init_cfg = init_cfg
        self._register_load_state_dict_pre_hook(self._adapt_on_load)
        self._register_state_dict_hook(note_img_size)
        self.register_forward_pre_hook(cast_to_parameter_dtype)
        self.register_forward_hook(require_tuple)

    def finish(self) -> None:
        """Check the parts and freeze the frozen ones.

        :class:`.shared.contract.FinishedType` calls it after the constructor of every subclass.

        Raises:
            OptionError: a part or token is missing, or ``frozen_stages`` is out of range.
        """
        if 'frozen_stages' not in vars(self):
            remedy = 'call super().__init__(**options) at the head of __init__'
            raise contract_broken(self, 'does not construct its base', remedy)
        if self.out_type == 'cls_dist_tokens' and getattr(self, 'dist_token', None) is None:
            raise OptionError("out_type='cls_dist_tokens': this backbone has no distillation token")
        for name in ('after_stages', 'undecayed'):
            text = getattr(self, name)
            if isinstance(text, str):
                raise contract_broken(self, f'has a text as {name}', f'a tuple, ({text!r},)')
        if self.stages_name and not self._stages_key():
            problem = f'sets no {self.stages_name}'
            raise contract_broken(self, problem, 'a nn.ModuleList of its stages')
        count = len(self.parts_by_stage()) - 1
        if not isinstance(self.frozen_stages, int) or not -1 <= self.frozen_stages <= count:
            if not count:
                self._require_stages(f'frozen_stages={self.frozen_stages!r}')
            raise OptionError(f'frozen_stages={self.frozen_stages!r}: must be in [-1, {count}]')
        self.require_readable_branches()
        number_slices(self)
        self.freeze()

    # -- what a subclass may say of itself otherwise --------------------------------------------

    def parts_by_stage(self) -> list[list[nn.Module | nn.Parameter]]:
        """Return the stem and then each stage, as lists of modules and parameters."""
        key = self._stages_key()
        later = {key, *self.after_stages}
        parts = chain(self.named_children(), self.named_parameters(recurse=False))
        stem = [part for name, part in parts if name not in later]
        return [stem, *([stage] for stage in (getattr(self, key) if key else ()))]

    def layer_depth(self, name: str) -> tuple[int, int]:
        """Return the depth of parameter ``name`` (0: stem) and the number of depths.

        Every block is a depth of its own, in a stage without ``blocks`` the whole stage is one.

        Raises:
            OptionError: the backbone has no stages.
        """
        key = self._require_stages('layer_depth')
        stages = getattr(self, key)
        counts = [len(getattr(stage, 'blocks', [stage])) for stage in stages]
        depths = sum(counts) + 2
        first, *rest = name.split('.')
        if first != key:
            return (depths - 1 if first in self.after_stages else 0), depths
        number = int(rest[0])
        stage = stages[number]
        before = sum(counts[:number])
        if not hasattr(stage, 'blocks'):
            return before + 1, depths
        return (before + int(rest[2]) + 1 if rest[1] == 'blocks' else before), depths

    def positions(self) -> Iterator[Position]:
        """Yield every learned position code; a plain tuple of the four will do."""
        return iter(())

    def no_weight_decay(self) -> set[str]:
        """Return the names of parameters that the published recipe does not decay."""
        names = [name for name, _ in self.named_parameters()]
        return {name for name in names if any(fnmatchcase(name, p) for p in self.undecayed)}

    def adapt_state_dict(
        self, state: dict[str, Tensor], prefix: str = '', origin: Origin = UNKNOWN
    ) -> dict[str, Tensor]:
        """Return ``state`` for this model's input size and channels; see ``shared.starting``.

        ``origin`` is what is known of the image size that ``state`` was made for.

        Raises:
            InputError: a position code fits no grid.
        """
        state = dict(state)
        fit_positions(self.positions(), state, prefix, origin)
        fit_channels(self, state, prefix)
        return state

    # -- what follows from it -------------------------------------------------------------------
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

    def fuse_for_inference(self, dtype: torch.dtype | None = None, compile: bool = False) -> Self:
        """Return a faster copy in eval mode, as ``layers.fuse_for_inference`` does."""
        return fuse_for_inference(self, dtype, compile)

    def _stages_key(self) -> str:
        """Return the attribute that holds the stages, '' if there is none."""
        for name in [self.stages_name] if self.stages_name else ['blocks', 'stages']:
            stages = getattr(self, name, None)
            if isinstance(stages, nn.ModuleList | nn.Sequential):
                return name
            held = [*stages.values()] if isinstance(stages, dict) else stages
            if not isinstance(held, list | tuple):
                continue
            if any(isinstance(part, nn.Module) for part in held):
                kind = type(stages).__name__
                raise contract_broken(self, f'has a plain {kind} {name}', 'make it a nn.ModuleList')
        return ''

    def _require_stages(self, purpose: str) -> str:
        key = self._stages_key()
        if key:
            return key
        remedy = 'put them into self.blocks or self.stages, a nn.ModuleList, or name another one'
        raise contract_broken(self, f'has no stages ({purpose})', f'{remedy} by stages_name')

    def _adapt_on_load(self, state: dict[str, Tensor], prefix: str, about: dict, *args) -> None:
        state.update(self.adapt_state_dict(state, prefix, Origin(about.get(IMG_SIZE))))


class PlainBackbone(Joinable, Backbone):
    """Base of the hosts of one resolution: a stem, ``blocks`` of one width, and a final ``norm``.

    A subclass sets ``blocks``, ``norm`` (``nn.Identity()`` for none) and, if it has them,
    ``cls_token``, which comes first, and ``dist_token``, which comes second. Its ``embed`` turns
    images into what the first block takes.

    Args:
        embed_dims: width of the tokens; by position, like the next two.
        depth: number of blocks.
        patch_size: side of a patch in pixels.
        img_size: side of the square image (or (height, width)) that what depends on the grid is
            made for; other sizes work, it is resized.
        out_indices: blocks whose output is returned, or a name such as ``'setr_mla'`` for those
            that this head reads; the last one's has the final norm.
        pool: average the output maps over ``pool`` x ``pool``, so that stride 16 becomes 32.
        options: arguments of :class:`Backbone`.

    Raises:
        OptionError: a bad size, an index out of range, or ``out_type='cls_token'`` without one.
    """

    stages_name = 'blocks'
    blocks: nn.ModuleList

    def __init__(
        self,
        embed_dims: int,
        depth: int,
        patch_size: int,
        /,
        img_size: int | tuple[int, int] = 224,
        out_indices: int | str | Sequence[int] = -1,
        pool: int = 1,
        **options,
    ) -> None:
        super().__init__(**options)
        require_size('patch_size', patch_size)
        require_size('pool', pool)
        self.img_size = input_size(img_size)
        self.grid = grid_of(self.img_size, patch_size)
        self.pool = pool
        self.out_indices = choose_indices(out_indices, depth)
        self.out_channels = (embed_dims,) * len(self.out_indices)
        self.out_strides = (patch_size * pool,) * len(self.out_indices)
        self.cls_token: nn.Parameter | None = None
        self.dist_token: nn.Parameter | None = None

    def finish(self) -> None:
        if not hasattr(self, 'norm'):
            raise contract_broken(self, 'sets no norm', 'the final norm, nn.Identity() for none')
        if self.out_type == 'cls_token' and self.cls_token is None:
            raise OptionError(
                "out_type='cls_token': this backbone has no class token; use 'pooled'"
            )
        super().finish()

    def forward(self, image: Tensor) -> tuple[Tensor, ...]:
        """Map images (N, in_channels, H, W) to one map or vector per entry of ``out_indices``."""
        return self.run_blocks(*self.embed(image))

    def leading_tokens(self) -> list[Tensor]:
        """Return the learned tokens that come before those of the patches, (1, 1, C) each."""
        return [token for token in (self.cls_token, self.dist_token) if token is not None]

    def with_position(self, x: Tensor, code: Tensor | None, size: tuple[int, int]) -> Tensor:
        """Prepend the leading tokens to (N, h * w, C) and add the code (1, [1 +] n, C), if any."""
        if leading := self.leading_tokens():
            first = [token.expand(x.shape[0], -1, -1) for token in leading]
            x = torch.cat([*first, x], 1)  # (N, 1 + h * w, C), with both tokens 2 + h * w
        return x if code is None else x + resize_position(code, self.grid, size)

    def run_blocks(self, x: Tensor, size: tuple[int, int]) -> tuple[Tensor, ...]:
        """Run the blocks on tokens (N, [1 +] h * w, C) and return the outputs asked for."""
        return tuple(
            self.read_out(tokens, i, size)
            for branch in self.run_branches(self.trunk, x, size)
            for i, tokens in zip(self.out_indices, branch, strict=True)
        )

    def trunk(self, x: Tensor, size: tuple[int, int], sweeps: Sweeps) -> list[Tensor]:
        """Return the tokens (N, [1 +] h * w, C) after ``out_indices``, of the last sweep."""
        x = self.run_row(self.blocks, x, size, sweeps[:-1])
        answers = []
        for i, block in enumerate(self.blocks):
            x = self.run_block(block, x, size, *sweeps[-1])
            if i in self.out_indices:
                answers.append(x)
        return answers

    def read_out(self, x: Tensor, block: int, size: tuple[int, int]) -> Tensor:
        """Turn the tokens (N, [1 +] h * w, C) after a block into the map or vector asked for."""
        if block == len(self.blocks) - 1:
            x = self.norm(x)
        if self.out_type == 'cls_token':
            return x[:, 0]
        if self.out_type == 'cls_dist_tokens':
            return x[:, :2]
        x = x[:, len(self.leading_tokens()) :]
        if self.out_type == 'pooled':
            return x.mean(1)
        return average_map(to_map(x, size), self.pool)  # (N, C, h / pool, w / pool)

    def fold_for_inference(self) -> None:
        """Run the last block for the class token alone where only that is returned."""
        if self.out_type == 'cls_token' and self.out_indices == (len(self.blocks) - 1,):
            keep_first_token(self.blocks)


class PyramidBackbone(Backbone):
    """Base of the hosts of several resolutions: a row of ``stages``, modules with ``blocks``.

    Args:
        embed_dims: width of each stage; by position, like the next one.
        stride: of the first stage.
        img_size: side of the square image (or (height, width)) that what depends on the grid is
            made for; other sizes work, it is resized.
        out_indices: stages whose map is returned, by their number from 0. A vector (``out_type``
            ``'cls_token'`` or ``'pooled'``) is the last stage's.
        options: arguments of :class:`Backbone`.

    Raises:
        OptionError: a bad size, an index out of range, or ``out_type='cls_token'`` without one.
    """

    stages_name = 'stages'
    stages: Any  # a nn.ModuleList, whose modules have methods of their own
    has_cls_token = False

    def __init__(
        self,
        embed_dims: Sequence[int],
        stride: int,
        /,
        img_size: int | tuple[int, int] = 224,
        out_indices: int | str | Sequence[int] = (0, 1, 2, 3),
        **options,
    ) -> None:
        super().__init__(**options)
        if self.out_type == 'cls_token' and not self.has_cls_token:
            raise OptionError(
                "out_type='cls_token': this backbone has no class token; use 'pooled'"
            )
        self.img_size = input_size(img_size)
        self.grid = grid_of(self.img_size, stride)  # of the first stage
        count = len(embed_dims)
        chosen = choose_indices(out_indices, count)
        self.out_indices = chosen if self.out_type == 'featmap' else (count - 1,)
        self.out_channels = tuple(embed_dims[i] for i in self.out_indices)
        self.out_strides = tuple(stride * 2**i for i in self.out_indices)
