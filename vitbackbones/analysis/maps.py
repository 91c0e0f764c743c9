"""Tokens as maps (Aug-ViT, Fig. 5; TNT, Fig. 4a; SReT, Fig. 10), of the first image.

For chosen blocks and every pass through them: the mean over all channels, which is the response
map of the pass, and some channels, drawn by chance and always alike. Every panel has a color scale
of its own, from its least to its largest value; the table has the values.
"""

import torch
from matplotlib.figure import Figure

from .plots import SEQUENTIAL, as_matrix, new_figure, plain_picture, unique
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
    for row in rows:
        row['place'] = f'{row["model"]}\nblock {row["block"]}, pass {row["pass"]}'
    places = unique(rows, 'place')
    count = 2 + max(len(unique([r for r in rows if r['place'] == p], 'channel')) for p in places)
    figure, axes = new_figure(len(places), count - 1, (1.15, 1.35))
    for place, line in zip(places, axes, strict=True):
        own = [row for row in rows if row['place'] == place]
        plain_picture(line[0], photos[own[0]['model']][0], place)
        for channel, panel in zip(unique(own, 'channel'), line[1:], strict=False):
            matrix = as_matrix([row for row in own if row['channel'] == channel])
            title = 'mean of all' if channel == MEAN else f'channel {channel}'
            plain_picture(panel, matrix, title, cmap=SEQUENTIAL)
    return figure
