"""What the pictures of all analyses share; matplotlib's objects alone, without its global state."""

from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

# Okabe and Ito's colors without yellow, which color-blind readers can tell apart
COLORS = ('#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#000000')
MARKERS = 'osD^vPX'  # a second sign beside the color
SEQUENTIAL = 'viridis'


def new_figure(rows: int, columns: int, size: tuple[float, float]) -> tuple[Figure, np.ndarray]:
    """Return a figure of ``rows`` x ``columns`` panels of ``size`` inches, and its axes."""
    figure = Figure((columns * size[0], rows * size[1]), layout='constrained', dpi=110)
    return figure, figure.subplots(rows, columns, squeeze=False)


def style_of(number: int) -> dict:
    """Return what the ``number``-th line looks like."""
    return {
        'color': COLORS[number % len(COLORS)],
        'marker': MARKERS[number % len(MARKERS)],
        'linestyle': ('-', '--', ':')[number // len(COLORS) % 3],
        'markersize': 4,
    }


def unique(rows: Iterable[dict], key: str) -> list:
    """Return the values of a column without repetition, in their order."""
    return list(dict.fromkeys(row[key] for row in rows))


def grouped(rows: Iterable[dict], *keys: str) -> dict:
    """Return the rows by their value in a column, or by a tuple of several, in their order."""
    found: dict = {}
    for row in rows:
        value = tuple(row[key] for key in keys)
        found.setdefault(value if len(keys) > 1 else value[0], []).append(row)
    return found


def label(axes: Axes, title: str, x: str = '', y: str = '') -> None:
    """Write a title and the names of both axes."""
    axes.set_title(title, fontsize=9)
    axes.set_xlabel(x)
    axes.set_ylabel(y)


def add_legend(axes: Axes) -> None:
    """Name the lines in a corner that they leave free."""
    axes.legend(fontsize=8, framealpha=0.8)


def hide(panels: Iterable[Axes]) -> None:
    """Leave places of the grid empty."""
    for panel in panels:
        panel.set_axis_off()


def plain_picture(axes: Axes, values: np.ndarray, title: str = '', **options):
    """Show values (h, w) or (h, w, 3) without ticks; returns what a color bar is made of."""
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_title(title, fontsize=8)
    return axes.imshow(values, **options)


def as_matrix(rows: Sequence[dict]) -> np.ndarray:
    """Lay the ``value`` of rows with ``y`` and ``x`` out as a matrix."""
    height = 1 + max(row['y'] for row in rows)
    width = 1 + max(row['x'] for row in rows)
    matrix = np.full((height, width), np.nan)
    for row in rows:
        matrix[row['y'], row['x']] = row['value']
    return matrix


def as_rows(values: Tensor, place: dict) -> list[dict]:
    """Return a row for each value of a map (h, w), the inverse of :func:`as_matrix`."""
    return [
        {**place, 'y': y, 'x': x, 'value': value}
        for y, line in enumerate(values.tolist())
        for x, value in enumerate(line)
    ]
