"""Samples of a dataset on a sheet: a row for each picture, a cell for each way of seeing it."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import torch
from PIL import Image, ImageOps
from torch import Tensor

from .sheet import GAP, below, contact_sheet, font, name_strip, side_by_side

CONVERSIONS = ('to_rgb', 'bgr_to_rgb', 'rgb_to_bgr')  # keys of a preprocessor that swaps colors


class Drawn(NamedTuple):
    """A picture of a sample.

    Attributes:
        picture: of any size.
        colors: names and colors of the classes that are shown by color alone, by label.
    """

    picture: Image.Image
    colors: Mapping[int, tuple[str, Sequence[int]]] = {}


Row = Sequence[tuple[str, Drawn]]  # titles and what stands under them


def to_pixels(image: Tensor, settings: Mapping) -> np.ndarray:
    """Return the pixels (H, W, 3), in uint8 and BGR, of an image (3, H, W) as a model gets it.

    Other bands (C, H, W) stay the numbers that they are.

    Args:
        image: normalized, with its colors in the order of the model.
        settings: of the data preprocessor that did both, which is undone; {} if nothing did.
    """
    if settings.get('mean') is not None:
        std, mean = (torch.tensor(settings[key]).view(-1, 1, 1) for key in ('std', 'mean'))
        image = image * std + mean
    if any(settings.get(key) for key in CONVERSIONS):
        image = image.flip(0)
    if len(image) != 3:
        return image.permute(1, 2, 0).numpy()  # (C, H, W) -> (H, W, C)
    return image.round().clamp(0, 255).byte().permute(1, 2, 0).numpy()  # (3, H, W) -> (H, W, 3)


def sheet(rows: Sequence[Row]) -> Image.Image:
    """Arrange rows below each other, with the names of all colors below the last."""
    width = max(drawn.picture.width for _, drawn in chain(*rows))
    columns = max(map(len, rows))
    empty = ('', Image.new('RGB', (width, 1), 'white'))
    strips = []
    for row in rows:
        cells = []
        for title, drawn in row:
            while font(title).getlength(title) > width - GAP:  # its beginning is left out
                title = f'...{title.removeprefix("...")[1:]}'
            cells.append((title, drawn.picture))
        strips.append(side_by_side([*cells, *[empty] * (columns - len(row))], width))
    whole = contact_sheet(strips, columns=1, width=strips[0].width)
    colors = {key: value for _, drawn in chain(*rows) for key, value in drawn.colors.items()}
    if not colors:
        return whole
    names = name_strip(dict(colors[label] for label in sorted(colors)), whole.width - 2 * GAP)
    return below(whole, ImageOps.expand(names, GAP, 'white'))
