"""Tokens as maps (Aug-ViT, Fig. 5; TNT, Fig. 4a; SReT, Fig. 10), of the first image.

For chosen blocks and every pass through them: the mean over all channels, which is the response
map of the pass, and some channels, drawn by chance and always alike. Every panel has a color scale
of its own, from its least to its largest value; the table has the values.
"""

import torch
from matplotlib.figure import Figure

from .plots import SEQUENTIAL, as_matrix, grouped, hide, new_figure, plain_picture
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
    places = [place for place in found.tokens if place.block in chosen]
    return [row for place in places for row in _rows(place, options.channels)]


def _rows(place: Tokens, count: int) -> list[dict]:
    values = place.maps()[0].float().cpu()  # (C, h, w)
    order = torch.randperm(len(values), generator=torch.Generator().manual_seed(0))
    channels = sorted(order[:count].tolist())
    maps = {MEAN: values.mean(0)} | {str(channel): values[channel] for channel in channels}
    return [
        {'block': place.block, 'pass': place.turn, 'channel': name, 'y': y, 'x': x, 'value': value}
        for name, image in maps.items()
        for y, line in enumerate(image.tolist())
        for x, value in enumerate(line)
    ]


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
