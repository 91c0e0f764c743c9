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


def unique(rows: Iterable[dict], key: str) -> list:
    """Return the values of a column without repetition, in their order."""
    return list(dict.fromkeys(row[key] for row in rows))


def grouped(rows: Iterable[dict], *keys: str) -> dict[tuple, list[dict]]:
    """Return the rows by their values in some columns, in their order."""
    found: dict = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return found


def lay_out(
    rows: Iterable[dict],
    line: Sequence[str],
    panel: Sequence[str],
    size: tuple[float, float],
    before: int = 0,
) -> tuple[Figure, list[tuple[tuple, np.ndarray, dict[tuple, list[dict]]]]]:
    """Return a figure with a line of panels for each value of some columns of a table.

    Args:
        rows: of the table.
        line, panel: the columns that tell lines apart, and the panels of a line.
        size: of a panel in inches.
        before: panels at the beginning of each line that show something else.

    Returns:
        The figure, and of each line its value, its axes, and the rows of its panels by their value.
    """
    lines = {value: grouped(own, *panel) for value, own in grouped(rows, *line).items()}
    figure, axes = new_figure(len(lines), before + max(map(len, lines.values())), size)
    for panels, own in zip(lines.values(), axes, strict=True):
        for empty in own[before + len(panels) :]:
            empty.set_axis_off()
    return figure, list(zip(lines, axes, lines.values(), strict=True))


def label(axes: Axes, title: str, x: str = '', y: str = '') -> None:
    """Write a title and the names of both axes."""
    axes.set_title(title, fontsize=9)
    axes.set_xlabel(x)
    axes.set_ylabel(y)


def plain_picture(axes: Axes, values: np.ndarray, title: str, **options) -> None:
    """Show values (h, w) or (h, w, 3) without ticks."""
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_title(title, fontsize=8)
    axes.imshow(values, **options)


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
