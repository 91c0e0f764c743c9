"""How long, how varied and how alike the patch tokens are, block by block; without class tokens.

**Norms** (MSF, Fig. 4): the mean length (1/L) sum_i ||x_i||_2. With trained weights it grows with
depth under dot-product attention and stays under mean-shift attention.

**Diversity** (Aug-ViT, Eq. 5, Fig. 4): how far the tokens Z (L, C) of an image are from all being
alike,

    r(Z) = min_z ||Z - 1 z^T||,        ||R|| = sqrt(||R||_1 ||R||_inf)

||R||_1 is the largest sum of absolute values in a column, ||R||_inf in a row. z is the mean of the
tokens: it is the exact minimum in the Frobenius norm, and what is done in practice for the
composite one, which has no closed minimum. Without shortcuts r(Z) falls to 0 with depth: all tokens
become the same. Beside it stand r(Z) / ||Z||, which does not grow with the length of the tokens,
and the mean cosine between two different tokens.

**Bounds** (after Aug-ViT, Theorems 1 and 2, which print H gamma / sqrt(d) and 2 H alpha). With
gamma = sum_h ||W_QK,h||_1 ||W_VO,h|| an attention, its heads c wide, makes of r(Z) at most
4 gamma / sqrt(c) r(Z)^3 + alpha r(Z). Without a shortcut alpha is 0, else
1 + sum_i lambda ||Theta_i||, lambda the steepest slope of a path. The theorems have no LayerNorm
and no MLP; here an MLP adds lambda ||W_1|| ||W_2|| r(Z).
"""

import math
from collections import Counter
from collections.abc import Callable

import torch
import torch.nn.functional as F
from matplotlib.figure import Figure
from torch import Tensor, nn

from vitbackbones.analysis.plots import grouped, label, new_figure, style_of
from vitbackbones.layers import (
    AugmentedShortcut,
    Block,
    DotProductAttention,
    IdentityShortcut,
    NoShortcut,
)

from .reading import find_blocks
from .subjects import Subject

WIDE = 50.0  # values that span a larger factor have a logarithmic axis
SLOPE = 1.129  # of a GELU, at most
BOUNDED = {NoShortcut, IdentityShortcut, AugmentedShortcut}


def measure_norms(subject: Subject, options) -> list[dict]:
    """Return the mean length at every place, the mean over the images."""
    return mean_by_place(subject, lambda tokens: {'norm': tokens.norm(dim=1).mean().item()})


def draw_norms(rows: list[dict], photos=()) -> Figure:
    """Draw it over the depth."""
    return draw_over_depth(rows, {'norm': ('Length of the tokens', 'mean L2 norm')})


def measure_diversity(subject: Subject, options) -> list[dict]:
    """Return r(Z), r(Z) / ||Z|| and the mean cosine at every place, means over the images.

    Beside them is log10 of the bound on r(Z), NaN where :func:`has_bound` says that there is none.
    """

    def numbers(tokens: Tensor) -> dict[str, float]:
        distance = distance_from_rank_one(tokens)
        relative, cosine = distance / composite_norm(tokens), mean_cosine(tokens)
        return {'r': distance.item(), 'relative_r': relative.item(), 'mean_cosine': cosine.item()}

    rows = mean_by_place(subject, numbers)
    blocks = [block.module for block in find_blocks(subject.model)]
    known = all(map(has_bound, blocks))
    logs = log_bounds(rows[0]['r'], blocks) if known else [math.nan] * len(rows)
    return [row | {'log10_bound': log} for row, log in zip(rows, logs, strict=True)]


def has_bound(block: nn.Module) -> bool:
    """Return whether the theorems speak of such a block: all of its tokens attend to all."""
    if type(block) is not Block or type(block.attn) is not DotProductAttention:
        return False
    whole = block.attn.tied is block.reduction is block.windows is None
    whole = whole and block.attn.qkv.out_features == 3 * block.attn.qkv.in_features
    return whole and {type(block.shortcut_attn), type(block.shortcut_mlp)} <= BOUNDED


@torch.no_grad()
def log_bounds(r: float, blocks: list[nn.Module]) -> list[float]:
    """Return log10 of ``r`` and of what it is at most after each of ``blocks``."""
    logs = [torch.tensor(r, dtype=torch.float64).log().item()]
    for block in blocks:
        log, heads = logs[-1], block.attn.num_heads
        q, k, v = block.attn.qkv.weight.unflatten(0, (3, heads, -1))  # (heads, c, C) each
        back = block.attn.proj.weight.T.unflatten(0, (heads, -1))  # (heads, c, C)
        pairs = zip(q.mT @ k, v.mT @ back, strict=True)  # (C, C) each
        gamma = sum(qk.abs().sum(0).max() * composite_norm(vo) for qk, vo in pairs)
        mlp = SLOPE * composite_norm(block.mlp.fc1.weight) * composite_norm(block.mlp.fc2.weight)
        for shortcut, power, factor in (
            (block.shortcut_attn, 3, 4 * gamma / math.sqrt(q.shape[1])),
            (block.shortcut_mlp, 1, mlp),
        ):
            alpha = 1.0
            if isinstance(shortcut, AugmentedShortcut):
                paths = q.new_ones(1, 1, 1) if shortcut.weight is None else shortcut.matrices()[0]
                alpha += SLOPE * sum(map(composite_norm, paths))
            own = [factor, 0 if isinstance(shortcut, NoShortcut) else alpha]
            terms = torch.tensor(own, dtype=torch.float64).log()
            terms += terms.new_tensor([power * log, log])
            log = terms.logsumexp(0).item() + math.log(getattr(shortcut, 'scale', 1.0))
        logs.append(log)
    return [log / math.log(10) for log in logs]


def composite_norm(matrix: Tensor) -> Tensor:
    """Return sqrt(||R||_1 ||R||_inf) of a matrix (L, C)."""
    return (matrix.abs().sum(0).max() * matrix.abs().sum(1).max()).sqrt()


def distance_from_rank_one(tokens: Tensor) -> Tensor:
    """Return r(Z) of tokens (L, C), with their mean as z."""
    return composite_norm(tokens - tokens.mean(0))


def mean_cosine(tokens: Tensor) -> Tensor:
    """Return the mean cosine between two different tokens of (L, C), without all pairs of them."""
    count = len(tokens)
    total = F.normalize(tokens, dim=1).sum(0).square().sum()  # each with itself included
    return (total - count) / max(count * (count - 1), 1)


def draw_diversity(rows: list[dict], photos=()) -> Figure:
    """Draw the three over the depth."""
    panels = {
        'r': ('Feature diversity (Aug-ViT, Eq. 5)', 'r(Z)'),
        'relative_r': ('The same in units of the tokens', 'r(Z) / ||Z||'),
        'mean_cosine': ('Similarity of the tokens', 'mean cosine of two tokens'),
    }
    return draw_over_depth(rows, panels)


def mean_by_place(subject: Subject, numbers: Callable[[Tensor], dict[str, float]]) -> list[dict]:
    """Return a row for the embedding and every block and pass: means over the images.

    ``numbers`` makes numbers by name of the patch tokens (L, C) of one image.
    """
    totals: dict[tuple[int, int], Counter] = {}
    for found in subject.read():
        for place in found.tokens:
            total = totals.setdefault((place.block, place.turn), Counter())
            total.update(numbers(place.patches[0].float()))
    return [
        {'depth': depth, 'block': block, 'pass': turn}
        | {key: value / len(subject.images) for key, value in total.items()}
        for depth, ((block, turn), total) in enumerate(totals.items())
    ]


def draw_over_depth(rows: list[dict], panels: dict[str, tuple[str, str]]) -> Figure:
    """Draw columns of a table over the passes through blocks before, a line for each model.

    ``panels`` are title and name of the axis by column.
    """
    figure, axes = new_figure(1, len(panels), (4.6, 3.6))
    for (column, (title, y)), panel in zip(panels.items(), axes[0], strict=True):
        for number, ((model,), own) in enumerate(grouped(rows, 'model').items()):
            depths = [row['depth'] for row in own]
            panel.plot(depths, [row[column] for row in own], label=model, **style_of(number))
        values = [row[column] for row in rows]
        panel.set_yscale('log' if 0 < WIDE * min(values) < max(values) else 'linear')
        panel.grid(alpha=0.3)
        panel.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
        label(panel, title, 'passes through blocks (0: embedding)', y)
    axes[0, 0].legend(fontsize=8, framealpha=0.8)
    return figure
