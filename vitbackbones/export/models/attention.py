"""Multi-scale deformable attention in a graph, for the heads of mmdet that have it.

mmcv's takes the sizes of the maps as a tensor and compares them with the number of values. What is
traced cannot look into a tensor, so here the sizes are numbers, which may be symbols. The samples
are taken by ``grid_sample``, which ONNX has as ``GridSample``.
"""

import copy
from collections.abc import Sequence

import torch
from mmcv.ops import multi_scale_deform_attn
from torch import Tensor, nn

Sizes = Sequence[tuple[int, int]]  # height and width of each level


class TraceableAttention(nn.Module):
    """The attention of one of mmcv's modules, with its parameters, that can be traced."""

    def __init__(self, attention: multi_scale_deform_attn.MultiScaleDeformableAttention) -> None:
        super().__init__()
        self.attention = attention

    def forward(
        self,
        query: Tensor,
        value: Tensor,
        query_pos: Tensor,
        reference_points: Tensor,
        spatial_shapes: Sizes,
        **unused,
    ) -> Tensor:
        """Return the queries with what they find at sampled places added, (N, Q, C).

        Args:
            query, query_pos: (N, Q, C).
            value: (N, S, C), the positions of all levels.
            reference_points: (N, Q, levels, 2), x and y from 0 to 1, or (N, Q, levels, 4) with
                width and height.
            spatial_shapes: of each level.
            unused: what mmdet's layers hand to every attention.
        """
        own = self.attention
        placed = query + query_pos
        shape = (*query.shape[:2], own.num_heads, own.num_levels, own.num_points)
        # over the points of all levels, then (N, Q, heads, levels, P)
        weights = own.attention_weights(placed).view(*shape[:3], -1).softmax(-1).view(shape)
        offsets = own.sampling_offsets(placed).view(*shape, 2)
        centers = reference_points[:, :, None, :, None, :2]
        if reference_points.shape[-1] == 4:
            steps = offsets / own.num_points * reference_points[:, :, None, :, None, 2:] * 0.5
        else:
            # sizes may be symbols: of a tensor of them, torch.export would keep the example's
            levels = zip(offsets.unbind(3), spatial_shapes, strict=True)
            scaled = [torch.stack([x[..., 0] / w, x[..., 1] / h], -1) for x, (h, w) in levels]
            steps = torch.stack(scaled, dim=3)  # (N, Q, heads, levels, P, 2)
        values = own.value_proj(value).unflatten(-1, (own.num_heads, -1))  # (N, S, heads, c)
        found = multi_scale_deform_attn.multi_scale_deformable_attn_pytorch(
            values, spatial_shapes, centers + steps, weights
        )
        return own.output_proj(found) + query


def shared_copy(model: nn.Module) -> nn.Module:
    """Return a copy of a model whose parts can be replaced; weights and buffers are its own."""
    tensors = (*model.parameters(), *model.buffers())
    return copy.deepcopy(model, {id(each): each for each in tensors})


def make_traceable(model: nn.Module) -> None:
    """Put a :class:`TraceableAttention` in the place of every mmcv attention in ``model``."""
    for name, part in list(model.named_modules()):
        if isinstance(part, multi_scale_deform_attn.MultiScaleDeformableAttention):
            model.set_submodule(name, TraceableAttention(part))


def encode(encoder: nn.Module, maps: Sequence[Tensor], codes: Sequence[Tensor]) -> Tensor:
    """Return what mmdet's encoder, made traceable, makes of all positions: (N, S, C).

    ``maps`` and the ``codes`` of their positions are (N, C, h_i, w_i).
    """
    states = in_rows(maps)
    codes = in_rows(codes)
    sizes = sizes_of(maps)
    points = centers(sizes, states).expand(states.shape[0], len(sizes), -1, -1).transpose(1, 2)
    for layer in encoder.layers:
        states = layer(
            states,
            query_pos=codes,
            key_padding_mask=None,
            reference_points=points,
            spatial_shapes=sizes,
        )
    return states


def in_rows(maps: Sequence[Tensor]) -> Tensor:
    """Return maps (N, C, h_i, w_i) one after the other, (N, S, C)."""
    return torch.cat([level.flatten(2) for level in maps], dim=2).transpose(1, 2)


def sizes_of(maps: Sequence[Tensor]) -> Sizes:
    """Return height and width of each map (N, C, h_i, w_i)."""
    return [tuple(level.shape[2:]) for level in maps]


def centers(sizes: Sizes, like: Tensor) -> Tensor:
    """Return x and y of the centers of all positions, from 0 to 1: (S, 2)."""
    points = []
    for height, width in sizes:
        y = (torch.arange(height, device=like.device) + 0.5) / height
        x = (torch.arange(width, device=like.device) + 0.5) / width
        y, x = torch.meshgrid(y, x, indexing='ij')
        points.append(torch.stack([x, y], dim=-1).flatten(0, 1))  # (h w, 2)
    return torch.cat(points).to(like)
