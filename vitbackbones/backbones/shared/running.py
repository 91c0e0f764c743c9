"""How a backbone runs: in which floating type, and its blocks once or as its recursion says."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from ...errors import OptionError
from ...layers import ONCE, SHALLOW, Recursion, Sweeps


def cast_to_parameter_dtype(backbone: nn.Module, images: tuple[Tensor]) -> tuple[Tensor, ...]:
    """Cast the images to the type of the weights, so that ``model.half()`` is all it takes.

    The toolboxes' data preprocessors give float32 whatever the model is. Images of bytes, which
    nobody has normalized, stay as they are, and the first convolution refuses them.

    Raises:
        OptionError: an image has no axis for the batch, or another one too many.
    """
    for image in images:
        if image.ndim != 4:
            raise OptionError(
                f'expected images (N, C, H, W), but got {tuple(image.shape)}'
                + '; image[None] is a batch of one' * (image.ndim == 3)
            )
    floating = (each.dtype for each in backbone.parameters() if each.is_floating_point())
    dtype = next(floating, None)  # None: nothing of the backbone is computed in floating point
    return tuple(image.to(dtype) if image.is_floating_point() else image for image in images)


class RunsBlocks(nn.Module):
    """What runs the blocks of :class:`~vitbackbones.backbones.base.Backbone`.

    A host hands what lies between its stem and its last norm, its trunk, to :meth:`run_branches`;
    the trunk hands every row of blocks to :meth:`run_row`.
    """

    recursion: Recursion | None = None  # of a host whose blocks run several times
    out_channels: tuple[int, ...]
    out_type: str
    with_cp: bool

    def run_block(self, block: nn.Module, *inputs, **options) -> Tensor:
        """Run a block, with activation checkpointing if ``with_cp``."""
        if self.with_cp and torch.is_grad_enabled():
            return checkpoint(block, *inputs, use_reentrant=False, **options)
        return block(*inputs, **options)

    def run_row(
        self, blocks: Iterable[nn.Module], x: Tensor, size: tuple[int, int], sweeps: Sweeps
    ) -> Tensor:
        """Run a row of blocks on tokens (N, L, C) of the grid ``size``, once in each sweep."""
        for turn in sweeps:
            for block in blocks:
                x = self.run_block(block, x, size, *turn)
        return x

    def run_branches(self, trunk: Callable[..., list[Tensor]], *inputs) -> list[list[Tensor]]:
        """Run ``trunk(*inputs, sweeps)`` as the recursion says, for each branch of mixed depth.

        Returns:
            What each branch that is read answered, the recursive one last; their mean where one
            loss reaches both. Without mixed depth there is one branch.
        """
        recursion = self.recursion
        if recursion is None:
            return [trunk(*inputs, ONCE)]
        deep = trunk(*inputs, recursion.sweeps)
        if not recursion.mixed_depth or recursion.has_two_losses and not self.training:
            return [deep]
        shallow = trunk(*inputs, SHALLOW)
        if recursion.has_two_losses:
            return [shallow, deep]
        return [[(a + b) / 2 for a, b in zip(deep, shallow, strict=True)]]

    def require_readable_branches(self) -> None:
        """Refuse a loss of each branch where no classifier reads one output.

        Raises:
            OptionError: ``mixed_loss='both'`` with maps or several outputs.
        """
        two_losses = self.recursion is not None and self.recursion.has_two_losses
        if two_losses and (self.out_type == 'featmap' or len(self.out_channels) > 1):
            raise OptionError(
                "mixed_loss='both' gives a classifier one loss per branch. It requires "
                "out_type='cls_token' or 'pooled', and a single index in out_indices; for "
                "feature maps, use 'mean'"
            )
