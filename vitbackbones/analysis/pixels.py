"""Pixel tokens of TNT laid out as an image (TNT, Fig. 5).

The pixel tokens of every patch, p x p of them, stand in the patch's place, so that a 14 x 14 grid
of patches gives a map of 56 x 56; shown is the mean over their channels, after chosen blocks.
"""

import math

from matplotlib.figure import Figure
from torch import Tensor

from ..errors import InputError
from .plots import SEQUENTIAL, as_matrix, new_figure, plain_picture, unique
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
    for row in rows:
        row['line'] = (row['model'], row['image'])
    lines = unique(rows, 'line')
    count = max(len(unique([r for r in rows if r['line'] == line], 'block')) for line in lines)
    figure, axes = new_figure(len(lines), 1 + count, (2.2, 2.4))
    for line, panels in zip(lines, axes, strict=True):
        own = [row for row in rows if row['line'] == line]
        plain_picture(panels[0], photos[line[0]][line[1] - 1], line[0])
        for panel in panels[1:]:
            panel.set_axis_off()
        for block, panel in zip(unique(own, 'block'), panels[1:], strict=False):
            matrix = as_matrix([row for row in own if row['block'] == block])
            plain_picture(panel, matrix, f'pixel tokens, block {block}', cmap=SEQUENTIAL)
    return figure
