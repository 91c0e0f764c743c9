"""Cosines between all pairs of patch tokens after chosen blocks (Aug-ViT, Fig. 3).

Entry (i, j) is the cosine of tokens i and j of an image, the mean over the images. Where a block
runs several times it is the last pass that counts. Of more than 256 tokens, 256 evenly spaced ones
are compared, so that tables and pictures stay readable.
"""

import torch
from matplotlib.figure import Figure
from torch import Tensor

from ...errors import InputError
from .diversity import cosines
from .plots import draw_matrices
from .reading import Reading, choose_blocks
from .subject import Subject, read_images

MOST = 256  # tokens


def measure(subject: Subject, options) -> list[dict]:
    """Return a row for each pair of tokens and chosen block.

    Raises:
        InputError: a block is unknown, or the images have different numbers of tokens.
    """
    chosen = choose_blocks(subject.model, options.blocks)
    seen = [_matrices(found, chosen) for found in read_images(subject)]
    return [
        {'block': block, 'y': y, 'x': x, 'value': value}
        for block in chosen
        for y, line in enumerate(_mean([matrices[block] for matrices in seen]).tolist())
        for x, value in enumerate(line)
    ]


def _matrices(found: Reading, chosen: list[int]) -> dict[int, Tensor]:
    """Return the matrix of each chosen block; a later pass takes the place of an earlier one."""
    return {t.block: cosines(_spaced(t.patches[0])) for t in found.tokens if t.block in chosen}


def _spaced(tokens: Tensor) -> Tensor:
    """Return at most :data:`MOST` of the tokens (L, C)."""
    count = len(tokens)
    kept = torch.linspace(0, count - 1, min(count, MOST)).round().long()
    return tokens[kept.to(tokens.device)].float()


def _mean(matrices: list[Tensor]) -> Tensor:
    if len({matrix.shape for matrix in matrices}) > 1:
        raise InputError(
            'the images have different numbers of tokens, so there is no mean of their matrices; '
            'give all one size with --size'
        )
    return torch.stack(matrices).mean(0).cpu()  # (L, L)


def draw(rows: list[dict], photos=()) -> Figure:
    """Draw a matrix for each model (rows) and block (columns)."""
    return draw_matrices(rows, 'token', 'cosine of two tokens')
