"""Tokens as pictures, after chosen blocks.

**Maps** (Aug-ViT, Fig. 5; TNT, Fig. 4a; SReT, Fig. 10), of the first image and every pass: the mean
over all channels, which is the response map of the pass, and some channels, drawn by chance and
always alike. Every panel has a color scale of its own; the table has the values.

**Pixels** (TNT, Fig. 5): the pixel tokens of every patch, p x p of them, stand in the patch's
place, so that a 14 x 14 grid of patches gives a map of 56 x 56; shown is the mean over channels.
"""

import math

import torch
from matplotlib.figure import Figure
from torch import Tensor

from ...errors import InputError
from .plots import SEQUENTIAL, as_matrix, as_rows, grouped, hide, new_figure, plain_picture
from .reading import Tokens, choose_blocks
from .subject import Subject, read_images

MEAN = 'mean'


def measure(subject: Subject, options) -> list[dict]:
    """Return a row for each value of each map.

    Raises:
        InputError: a block is unknown, or its tokens are not known to be a grid.
    """
    chosen = choose_blocks(subject.model, options.blocks)
    found = next(read_images(subject, count=1))
    rows = []
    for place in found.tokens:
        if place.block not in chosen:
            continue
        values = place.maps()[0].float()  # (C, h, w)
        order = torch.randperm(len(values), generator=torch.Generator().manual_seed(0))
        channels = sorted(order[: options.channels].tolist())
        maps = {MEAN: values.mean(0)} | {str(channel): values[channel] for channel in channels}
        for name, image in maps.items():
            rows += as_rows(image, {'block': place.block, 'pass': place.turn, 'channel': name})
    return rows


def draw(rows: list[dict], photos: dict[str, list]) -> Figure:
    """Draw a row of panels for each model, block and pass: the photograph, the mean, channels."""
    places = {
        place: grouped(own, 'channel')
        for place, own in grouped(rows, 'model', 'block', 'pass').items()
    }
    figure, axes = new_figure(len(places), 1 + max(map(len, places.values())), (1.15, 1.35))
    for ((model, block, turn), channels), line in zip(places.items(), axes, strict=True):
        plain_picture(line[0], photos[model][0], f'{model}\nblock {block}, pass {turn}')
        hide(line[1 + len(channels) :])
        for (channel, own), panel in zip(channels.items(), line[1:], strict=False):
            title = 'mean of all' if channel == MEAN else f'channel {channel}'
            plain_picture(panel, as_matrix(own), title, cmap=SEQUENTIAL)
    return figure


def measure_pixels(subject: Subject, options) -> list[dict]:
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
                f'{subject.name}: blocks {", ".join(map(str, chosen))} give no pixel tokens; '
                'this analysis is for TNT'
            )
        for place in given:
            rows += as_rows(lay_out(place), {'image': number, 'block': place.block})
    return rows


def lay_out(place: Tokens) -> Tensor:
    """Return the mean over channels of pixel tokens (h * w, p * p, c) as a map (h * p, w * p)."""
    side = math.isqrt(place.values.shape[1])
    values = place.values.float().mean(2)  # (h * w, p * p)
    values = values.unflatten(1, (side, side)).unflatten(0, tuple(place.grid))  # (h, w, p, p)
    return values.transpose(1, 2).flatten(2).flatten(0, 1)  # (h, p, w, p) -> (h * p, w * p)


def draw_pixels(rows: list[dict], photos: dict[str, list]) -> Figure:
    """Draw a row of panels for each model and image: the photograph, and a map for each block."""
    lines = {line: grouped(own, 'block') for line, own in grouped(rows, 'model', 'image').items()}
    figure, axes = new_figure(len(lines), 1 + max(map(len, lines.values())), (2.2, 2.4))
    for ((model, image), blocks), panels in zip(lines.items(), axes, strict=True):
        plain_picture(panels[0], photos[model][image - 1], model)
        hide(panels[1 + len(blocks) :])
        for (block, own), panel in zip(blocks.items(), panels[1:], strict=False):
            plain_picture(panel, as_matrix(own), f'pixel tokens, block {block}', cmap=SEQUENTIAL)
    return figure
