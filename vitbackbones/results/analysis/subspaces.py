"""How much two projections of a head work on the same subspace (MSF, Eq. 13, Fig. 3).

    sim(X, Y) = trace(U_X U_X^T U_Y U_Y^T) / c,        X = U_X S V^T

X and Y (d, c) are what a head of width c has for two of its roles: the queries' matrix Q, K, V, the
probe's P, transposed, and the back-projection's W. U holds the left singular vectors. It is 1 for
the same subspace, 0 for orthogonal ones, and c / d on average for random ones (64 / 384 = 0.167 in
ViT-S). Given are means over the heads; the picture shows the mean over the blocks. Roles that share
their matrix have 1. Inner attention of TNT is left out.
"""

from itertools import combinations

import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from torch import Tensor, nn

from ...errors import InputError
from ...layers.projections import ProjectedAttention, project_parts
from .plots import SEQUENTIAL, grouped, new_figure
from .reading import find_blocks
from .subject import Subject

BACK = 'W'  # the role of the back-projection


def similarity(first: Tensor, second: Tensor) -> Tensor:
    """Return sim of two stacks of matrices (heads, d, c), one number per head."""
    bases = _basis(first).mT @ _basis(second)  # (heads, c, c)
    return bases.square().sum((1, 2)) / first.shape[2]


def _basis(matrices: Tensor) -> Tensor:
    """Return left singular vectors (heads, d, c), zeros where the rank is less than c."""
    vectors, values, _ = torch.linalg.svd(matrices, full_matrices=False)
    floor = torch.finfo(values.dtype).eps * max(matrices.shape[1:]) * values[:, :1]
    return vectors * (values > floor)[:, None]


def role_matrices(attention: ProjectedAttention) -> dict[str, Tensor]:
    """Return the matrices of an attention by role, each (heads, d, c), in double precision."""
    matrices = {
        role: _dense(getattr(attention, name), number)
        for name, numbers in attention.numbers.items()
        for role, number in numbers.items()
    }
    tied = attention.tied
    matrices[BACK] = attention.proj.weight.double() if tied is None else matrices[tied]
    heads = attention.num_heads
    return {  # (d, heads * c) -> (heads, d, c)
        role: matrix.unflatten(1, (heads, -1)).transpose(0, 1) for role, matrix in matrices.items()
    }


@torch.no_grad()
def _dense(linear: nn.Linear, number: int) -> Tensor:
    """Return the matrix (in, out) of a projection, grouped or not: its answers to unit vectors."""
    width = linear.in_features * getattr(linear, 'groups', 1)
    unit = torch.eye(width, device=linear.weight.device, dtype=linear.weight.dtype)
    made, zero = (
        project_parts(linear, x, number, number + 1, width) for x in (unit, torch.zeros_like(unit))
    )
    return (made - zero).double()


def measure(subject: Subject, options) -> list[dict]:
    """Return a row for each block and pair of roles.

    Raises:
        InputError: no block has an attention whose matrices are known.
    """
    rows = []
    for block in find_blocks(subject.model):
        for name, part in block.module.named_modules():
            if name.startswith('inner') or not isinstance(part, ProjectedAttention):
                continue
            matrices = role_matrices(part)
            dims, width = next(iter(matrices.values())).shape[1:]
            rows += [
                {
                    'block': block.number,
                    'first': first,
                    'second': second,
                    'similarity': similarity(matrices[first], matrices[second]).mean().item(),
                    'random': width / dims,
                }
                for first, second in combinations(matrices, 2)
            ]
    if not rows:
        raise InputError(f'{subject.name}: no attention of vitbackbones.layers in its blocks')
    return rows


def draw(rows: list[dict]) -> Figure:
    """Draw the mean over the blocks as a triangle of pairs, one for each model."""
    models = grouped(rows, 'model')
    figure, axes = new_figure(1, len(models), (3.6, 3.4))
    for (model, own), panel in zip(models.items(), axes[0], strict=True):
        image = _draw_pairs(panel, grouped(own, 'first', 'second'))
        random = sum(row['random'] for row in own) / len(own)
        panel.set_title(f'{model}\nsubspaces (random: {random:.3f})', fontsize=9)
    figure.colorbar(image, ax=axes, label='similarity (MSF, Eq. 13)', shrink=0.8)
    return figure


def _draw_pairs(panel: Axes, pairs: dict[tuple[str, str], list[dict]]) -> AxesImage:
    """Draw the mean of each pair of roles, and return what a color bar is made of."""
    roles = list(dict.fromkeys(role for pair in zip(*pairs, strict=True) for role in pair))
    matrix = torch.full((len(roles), len(roles)), torch.nan)
    for (first, second), own in pairs.items():
        y, x = roles.index(first), roles.index(second)
        matrix[y, x] = sum(row['similarity'] for row in own) / len(own)
        color = 'black' if matrix[y, x] > 0.6 else 'white'
        panel.text(x, y, f'{matrix[y, x]:.2f}', ha='center', va='center', color=color)
    panel.set_xticks(range(1, len(roles)), roles[1:])
    panel.set_yticks(range(len(roles) - 1), roles[:-1])
    image = panel.imshow(matrix.numpy(), cmap=SEQUENTIAL, vmin=0, vmax=1)
    panel.set_xlim(0.5, len(roles) - 0.5)
    panel.set_ylim(len(roles) - 1.5, -0.5)
    return image
