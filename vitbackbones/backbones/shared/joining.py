"""Plain networks that stop before their last blocks, so that other tokens can join for these.

EoMT's queries do so (``tasks/detection/eomt.py``). What runs after the stop are the network's own
last blocks and its final norm, with their weights.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from torch import Tensor, nn

from ...errors import OptionError
from ...layers import ONCE, Block, Sweeps
from .contract import contract_broken
from .running import RunsBlocks, cast_to_parameter_dtype

# From tokens (N, [Q +] P + h * w, C), and a bias of their attention or None, to such tokens. The
# bias is added to the scores, and broadcast to (N, heads, L, L).
JointBlock = Callable[[Any, Tensor | None], Any]
PLAIN = 'ViT, AugViT, SimpleViT, MSFViT, T2T, AugT2T, TNT and the ViTs of timm'


class Unfinished(NamedTuple):
    """A plain network that ran up to its last blocks.

    Attributes:
        tokens: (N, P + h * w, C), those of the patches last, behind P such as the class token.
        size: their grid (h, w).
        image_size: height and width of the images in pixels.
        blocks: those that have not run. They also take tokens with any number of others in front.
            Each runs once, in this order: TNT's hand their pixels on to the next.
        norm: the final norm.
    """

    tokens: Any
    size: tuple[int, int]
    image_size: tuple[int, int]
    blocks: list[JointBlock]
    norm: nn.Module


def not_joinable(backbone: nn.Module, reason: str) -> OptionError:
    """Return the error for a backbone whose last blocks other tokens cannot join."""
    name = type(backbone).__name__
    return OptionError(f'{name}: queries cannot join its tokens, because {reason}')


def require_joinable(backbone: Any, count: int) -> nn.Module:
    """Return the final norm of a backbone whose last ``count`` blocks other tokens can join.

    Raises:
        OptionError: they cannot, with the reason.
    """
    if not hasattr(backbone, 'require_joinable'):
        reason = f'it is no plain ViT. Use one of {PLAIN}; or another head, such as Mask2Former'
        raise not_joinable(backbone, reason)
    return backbone.require_joinable(count)


def require_depth(count: int, depth: int) -> None:
    """Raise an ``OptionError`` unless ``count`` last blocks of ``depth`` leave some before them."""
    if count >= depth:
        raise OptionError(
            f'num_blocks={count}: queries join the tokens for the last blocks, and the backbone '
            f'has {depth}; use at most {depth - 1}'
        )


class Joinable(RunsBlocks):
    """What lets other tokens join the last blocks of a ``PlainBackbone``."""

    blocks: nn.ModuleList
    norm: nn.Module
    pool: int
    embed: Callable[[Tensor], tuple[Any, tuple[int, int]]]

    def require_joinable(self, count: int) -> nn.Module:
        """Return the final norm, if other tokens can join those of the last ``count`` blocks.

        Raises:
            OptionError: they cannot, with the reason.
        """
        require_depth(count, len(self.blocks))
        if not hasattr(self, 'embed'):
            raise contract_broken(self, 'has no embed', 'let it return the first tokens and (h, w)')
        if self.out_type != 'featmap' or self.pool > 1:
            settings = f'out_type={self.out_type!r}, pool={self.pool}'
            raise not_joinable(self, f"{settings} is set; use out_type='featmap', pool=1")
        if self.recursion is not None and self.recursion.mixed_depth:
            raise not_joinable(self, 'recursion.mixed_depth has two branches')
        for block in self.blocks[-count:]:
            part = getattr(block, 'outer', block)  # TNT's block on the patch tokens
            if not isinstance(part, Block) or not getattr(part.attn, 'takes_bias', False):
                kind = type(getattr(part, 'attn', part)).__name__
                raise not_joinable(self, f'{kind} cannot be masked. Use one of {PLAIN}')
            if part.windows is not None:
                raise not_joinable(
                    self,
                    'the last blocks attend in windows; list them in global_attn_indexes, or set '
                    'window_size=None',
                )
            if len(getattr(part, 'slicings', ())):
                raise not_joinable(self, 'recursion.groups cuts the tokens into slices')
        return self.norm

    def run_first(self, image: Tensor, count: int) -> Unfinished:
        """Run all but the last ``count`` blocks on images (N, in_channels, H, W)."""
        (image,) = cast_to_parameter_dtype(self, (image,))
        x, size = self.embed(image)
        sweeps: Sweeps = ONCE if self.recursion is None else self.recursion.sweeps
        x = self.run_row(self.blocks, x, size, sweeps[:-1])
        x = self.run_row(self.blocks[:-count], x, size, sweeps[-1:])
        blocks = [self._joint(block, size, *sweeps[-1]) for block in self.blocks[-count:]]
        return Unfinished(x, size, (image.shape[2], image.shape[3]), blocks, self.norm)

    def _joint(self, block: nn.Module, size: tuple[int, int], *turn) -> JointBlock:
        def run(x: Any, bias: Tensor | None = None) -> Any:
            return self.run_block(block, x, size, *turn, bias=bias)

        return run
