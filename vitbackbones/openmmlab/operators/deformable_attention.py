"""Multi-scale deformable attention without the sampled values in memory.

Zhu et al., "Deformable DETR", 2021. An output is a weighted sum over L levels, P points and the
four pixels around a point: over 4 L P rows of a table with one row for each position and head. That
is what PyTorch's embedding bags compute, forward and backward, without the rows in between. Queries
are taken in chunks, and only the inputs are kept for the backward pass.

Shapes: value (B, S, H, D) for S positions and H heads; locations (B, Q, H, L, P, 2), x and y from 0
to 1; weights (B, Q, H, L, P); output (B, Q, H D). ``im2col_step`` is of no use here.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import Function, once_differentiable
from torch.nn.functional import embedding_bag

from .kernels import widen

CHUNK = 2**20  # rows that are summed at a time


def ms_deform_attn_forward(
    value: Tensor,
    value_spatial_shapes: Tensor,
    value_level_start_index: Tensor,
    sampling_locations: Tensor,
    attention_weights: Tensor,
    im2col_step: int,
) -> Tensor:
    """Return the attention, (B, Q, H D), in the type of ``value``.

    Args:
        value_spatial_shapes: (L, 2), height and width of each level.
        value_level_start_index: (L,), the position that each level begins at.
    """
    table, locations, weights = widen(value, sampling_locations, attention_weights)
    batch, _, heads, width = value.shape
    parts = []
    for queries in _chunks(locations):
        corners = _corners(
            locations[:, queries], value_spatial_shapes, value_level_start_index, table.shape
        )
        factors = corners.shares() * weights[:, queries, ..., None]  # (B, q, H, L, P, 4)
        part = _sum_rows(corners.rows, table, factors)
        parts.append(part.view(batch, factors.shape[1], heads * width))
    return torch.cat(parts, dim=1).to(value.dtype)


def ms_deform_attn_backward(
    value: Tensor,
    value_spatial_shapes: Tensor,
    value_level_start_index: Tensor,
    sampling_locations: Tensor,
    attention_weights: Tensor,
    grad_output: Tensor,
    grad_value: Tensor,
    grad_sampling_loc: Tensor,
    grad_attn_weight: Tensor,
    im2col_step: int,
) -> None:
    """Fill the gradients of value, locations and weights from that of the output."""
    table, locations, weights, grad = widen(
        value, sampling_locations, attention_weights, grad_output
    )
    sides = value_spatial_shapes.flip(1).to(locations)  # width, height
    summed = torch.zeros_like(table)
    for queries in _chunks(locations):
        corners = _corners(
            locations[:, queries], value_spatial_shapes, value_level_start_index, table.shape
        )
        attention = weights[:, queries]
        inputs = [table.detach(), corners.shares() * attention[..., None]]
        with torch.enable_grad():
            inputs = [each.requires_grad_() for each in inputs]
            output = _sum_rows(corners.rows, *inputs)
        of_table, of_factors = torch.autograd.grad(
            output, inputs, grad[:, queries].reshape_as(output)
        )
        summed += of_table
        by_x, by_y, by_weight = corners.slopes(of_factors)
        moved = torch.stack([by_x, by_y], dim=-1) * attention[..., None] * sides[:, None]
        grad_sampling_loc[:, queries] = moved.to(grad_sampling_loc.dtype)
        grad_attn_weight[:, queries] = by_weight.to(grad_attn_weight.dtype)
    grad_value.copy_(summed)


class _Corners(NamedTuple):
    """The four pixels around each point, in the order of (y, x), (y, x + 1), (y + 1, x), ...

    Attributes:
        rows: (B, q, H, L, P, 4), their rows in the table.
        inside: as ``rows``: 1, and 0 for a pixel outside of the map.
        x: (B, q, H, L, P), how far a point lies beyond the left pixels, 0 to 1.
        y: beyond the upper ones.
    """

    rows: Tensor
    inside: Tensor
    x: Tensor
    y: Tensor

    def shares(self) -> Tensor:
        """Return the weight of each pixel, (B, q, H, L, P, 4)."""
        left = 1 - self.x
        upper = 1 - self.y
        shares = [upper * left, upper * self.x, self.y * left, self.y * self.x]
        return torch.stack(shares, dim=-1).mul_(self.inside)

    def slopes(self, grad: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return what ``grad`` of the pixels' factors is by x, by y, and by the point's weight."""
        a, b, c, d = (grad * self.inside).unbind(-1)
        above = a + (b - a) * self.x
        below = c + (d - c) * self.x
        by_x = (b - a) + ((d - c) - (b - a)) * self.y
        return by_x, below - above, above + (below - above) * self.y


def _corners(locations: Tensor, shapes: Tensor, starts: Tensor, table: torch.Size) -> _Corners:
    """Return the pixels around points.

    Args:
        locations: (B, q, H, L, P, 2).
        table: (B, S, H, D).
    """
    batch, positions, heads, _ = table
    height, width = shapes.int().T[..., None]  # each (L, 1)
    x = locations[..., 0] * width - 0.5
    y = locations[..., 1] * height - 0.5
    left = x.floor()
    upper = y.floor()
    columns = torch.stack([left, left + 1], dim=-1).int()[..., None, :]
    lines = torch.stack([upper, upper + 1], dim=-1).int()[..., None]
    width = width[..., None, None]
    height = height[..., None, None]
    inside = (columns >= 0) & (columns < width) & (lines >= 0) & (lines < height)
    images = torch.arange(batch, device=x.device, dtype=torch.int).view(-1, 1, 1, 1, 1, 1, 1)
    head = torch.arange(heads, device=x.device, dtype=torch.int).view(-1, 1, 1, 1, 1)
    position = lines * width + columns + starts.int()[:, None, None, None]
    rows = (position + images * positions) * heads + head
    # (B, q, H, L, P, 2, 2) to (B, q, H, L, P, 4)
    return _Corners((rows * inside).flatten(-2), inside.flatten(-2), x - left, y - upper)


def _sum_rows(rows: Tensor, table: Tensor, factors: Tensor) -> Tensor:
    """Return weighted sums over the last three axes of ``rows``, (B q H, D)."""
    bags = rows.flatten(0, 2).flatten(1)  # (B q H, 4 L P)
    return embedding_bag(
        bags,
        table.flatten(0, 2),  # (B S H, D)
        mode='sum',
        per_sample_weights=factors.reshape(bags.shape),
    )


def _chunks(locations: Tensor) -> Iterator[slice]:
    """Yield slices of the queries of ``locations``, (B, Q, H, L, P, 2)."""
    step = max(1, CHUNK // max(1, 2 * locations[:, :1].numel()))
    for start in range(0, max(locations.shape[1], 1), step):
        yield slice(start, start + step)


class DeformableAttention(Function):
    """The attention with its gradients; arguments as of :func:`ms_deform_attn_forward`."""

    @staticmethod
    def forward(ctx, *inputs: Tensor) -> Tensor:
        ctx.save_for_backward(*inputs)
        return ms_deform_attn_forward(*inputs, im2col_step=1)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad: Tensor) -> tuple[Tensor | None, ...]:
        value, shapes, starts, locations, weights = ctx.saved_tensors
        filled = [torch.empty_like(each) for each in (value, locations, weights)]
        ms_deform_attn_backward(*ctx.saved_tensors, grad, *filled, im2col_step=1)
        return filled[0], None, None, *filled[1:]


def attend_in_chunks(
    original: Callable,
    value: Tensor,
    value_spatial_shapes: Tensor,
    sampling_locations: Tensor,
    attention_weights: Tensor,
) -> Tensor:
    """Return mmcv's ``multi_scale_deformable_attn_pytorch`` on embedding bags.

    What is compiled or exported keeps the original, whose steps every compiler knows.
    """
    if torch.compiler.is_compiling() or torch.jit.is_tracing():
        return original(value, value_spatial_shapes, sampling_locations, attention_weights)
    shapes = torch.as_tensor(value_spatial_shapes, device=value.device)
    sizes = shapes.prod(1)
    inputs = (value, shapes, sizes.cumsum(0) - sizes, sampling_locations, attention_weights)
    return DeformableAttention.apply(*inputs)
