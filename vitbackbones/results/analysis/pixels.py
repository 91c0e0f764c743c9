"""Pixel tokens of TNT laid out as an image (TNT, Fig. 5).

The pixel tokens of every patch, p x p of them, stand in the patch's place, so that a 14 x 14 grid
of patches gives a map of 56 x 56; shown is the mean over their channels, after chosen blocks.
"""

import math

from matplotlib.figure import Figure
from torch import Tensor

from ...errors import InputError
from .plots import SEQUENTIAL, as_matrix, grouped, hide, new_figure, plain_picture
from .reading import Tokens, choose_blocks
from .subject import Subject, read_images


def measure(subject: Subject, options) -> list[dict]:
    """Return a row for each pixel token, chosen block and image.

    Raises:
        InputError: a block is unknown, or gives no pixel tokens.
    """
    chosen = choose_blocks(subject.model, options.blocks)
    rows = []
    for number, found in enumerate(read_images(subject, count=options.pictures), 1):
        given = [place for place in found.pixels if place.block in chosen]
        if not given:
            raise InputError(
                f'{subject.name}: blocks {", ".join(map(str, chosen))} give no pixel tokens; this '
                'analysis is of TNT'
            )
        rows += [row for place in given for row in _rows(place, number)]
    return rows


def lay_out(place: Tokens) -> Tensor:
    """Return the mean over channels of pixel tokens (h * w, p * p, c) as a map (h * p, w * p)."""
    side = math.isqrt(place.values.shape[1])
    values = place.values.float().mean(2)  # (h * w, p * p)
    values = values.unflatten(1, (side, side)).unflatten(0, tuple(place.grid))  # (h, w, p, p)
    return values.transpose(1, 2).flatten(2).flatten(0, 1)  # (h, p, w, p) -> (h * p, w * p)


def _rows(place: Tokens, image: int) -> list[dict]:
    return [
        {'image': image, 'block': place.block, 'y': y, 'x': x, 'value': value}
        for y, line in enumerate(lay_out(place).tolist())
        for x, value in enumerate(line)
    ]


def draw(rows: list[dict], photos: dict[str, list]) -> Figure:
    """Draw a row of panels for each model and image: the photograph, and a map for each block."""
    lines = {line: grouped(own, 'block') for line, own in grouped(rows, 'model', 'image').items()}
    figure, axes = new_figure(len(lines), 1 + max(map(len, lines.values())), (2.2, 2.4))
    for ((model, image), blocks), panels in zip(lines.items(), axes, strict=True):
        plain_picture(panels[0], photos[model][image - 1], model)
        hide(panels[1 + len(blocks) :])
        for (block, own), panel in zip(blocks.items(), panels[1:], strict=False):
            plain_picture(panel, as_matrix(own), f'pixel tokens, block {block}', cmap=SEQUENTIAL)
    return figure
