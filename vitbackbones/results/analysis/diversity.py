"""How far the tokens of an image are from all being alike (Aug-ViT, Eq. 5, Fig. 4).

    r(Z) = min_z ||Z - 1 z^T||,        ||R|| = sqrt(||R||_1 ||R||_inf)

Z (L, C) holds the patch tokens, without the class token. ||R||_1 is the largest sum of absolute
values in a column, ||R||_inf in a row. z is the mean of the tokens: it is the exact minimum in the
Frobenius norm, and what is done in practice for the composite one, which has no closed minimum.
Without shortcuts r(Z) falls to 0 with depth: all tokens become the same.

Beside it stand r(Z) / ||Z||, which does not grow with the length of the tokens, and the mean
cosine between two different tokens (Fig. 3).
"""

import torch.nn.functional as F
from matplotlib.figure import Figure
from torch import Tensor

from .plots import draw_over_depth
from .subject import Subject, mean_by_place


def composite_norm(matrix: Tensor) -> Tensor:
    """Return sqrt(||R||_1 ||R||_inf) of a matrix (L, C)."""
    return (matrix.abs().sum(0).max() * matrix.abs().sum(1).max()).sqrt()


def distance_from_rank_one(tokens: Tensor) -> Tensor:
    """Return r(Z) of tokens (L, C), with their mean as z."""
    return composite_norm(tokens - tokens.mean(0))


def cosines(tokens: Tensor) -> Tensor:
    """Return the cosine between all pairs of tokens (L, C), an (L, L) matrix."""
    directions = F.normalize(tokens, dim=1)
    return directions @ directions.T


def mean_cosine(tokens: Tensor) -> Tensor:
    """Return the mean cosine between two different tokens of (L, C), without all pairs of them."""
    count = len(tokens)
    total = F.normalize(tokens, dim=1).sum(0).square().sum()  # of all pairs, each with itself too
    return (total - count) / max(count * (count - 1), 1)


def _numbers(tokens: Tensor) -> dict[str, float]:
    distance = distance_from_rank_one(tokens)
    return {
        'r': distance.item(),
        'relative_r': (distance / composite_norm(tokens)).item(),
        'mean_cosine': mean_cosine(tokens).item(),
    }


def measure(subject: Subject, options) -> list[dict]:
    """Return r(Z), r(Z) / ||Z|| and the mean cosine at every place, means over the images."""
    return mean_by_place(subject, _numbers)


def draw(rows: list[dict], photos=()) -> Figure:
    """Draw the three over the depth."""
    panels = {
        'r': ('Feature diversity (Aug-ViT, Eq. 5)', 'r(Z)'),
        'relative_r': ('The same in units of the tokens', 'r(Z) / ||Z||'),
        'mean_cosine': ('Similarity of the tokens', 'mean cosine of two tokens'),
    }
    return draw_over_depth(rows, panels)
