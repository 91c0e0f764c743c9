"""What the pictures of all analyses share; matplotlib's objects alone, without its global state."""

from collections.abc import Iterable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..utils.grouping import by_key

# Okabe and Ito's colors without yellow, which color-blind readers can tell apart
COLORS = ('#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#000000')
MARKERS = 'osD^vPX'  # a second sign beside the color


def new_figure(
    rows: int, columns: int, size: tuple[float, float], **options
) -> tuple[Figure, np.ndarray]:
    """Return a figure of ``rows`` x ``columns`` panels of ``size`` inches, and its axes."""
    figure = Figure((columns * size[0], rows * size[1]), layout='constrained', dpi=110)
    return figure, figure.subplots(rows, columns, squeeze=False, **options)


def style_of(number: int) -> dict:
    """Return what the ``number``-th line looks like."""
    return {
        'color': COLORS[number % len(COLORS)],
        'marker': MARKERS[number % len(MARKERS)],
        'linestyle': ('-', '--', ':')[number // len(COLORS) % 3],
        'markersize': 4,
    }


def grouped(rows: Iterable[dict], *keys: str) -> dict[tuple, list[dict]]:
    """Return the rows by their values in some columns, in their order."""
    return by_key(rows, lambda row: tuple(row[key] for key in keys))


def label(axes: Axes, title: str, x: str = '', y: str = '') -> None:
    """Write a title and the names of both axes."""
    axes.set_title(title, fontsize=9)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
