"""What the pictures of all analyses share; matplotlib's objects alone, without its global state."""

from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Okabe and Ito's colors without yellow, which color-blind readers can tell apart
COLORS = ('#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#000000')
MARKERS = 'osD^vPX'  # a second sign beside the color
SEQUENTIAL = 'viridis'
WIDE = 50.0


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


def draw_over_depth(rows: list[dict], panels: dict[str, tuple[str, str]]) -> Figure:
    """Draw columns of a table over its ``depth``, a line for each model.

    Args:
        rows: with ``model`` and ``depth``, the number of passes through blocks before.
        panels: title and name of the axis by column. The axis is logarithmic where the values
            span more than a factor of :data:`WIDE`.
    """
    figure, axes = new_figure(1, len(panels), (4.6, 3.6))
    for (column, (title, y)), panel in zip(panels.items(), axes[0], strict=True):
        for number, (model, own) in enumerate(grouped(rows, 'model').items()):
            depths = [row['depth'] for row in own]
            panel.plot(depths, [row[column] for row in own], label=model, **style_of(number))
        values = [row[column] for row in rows]
        panel.set_yscale('log' if 0 < WIDE * min(values) < max(values) else 'linear')
        panel.grid(alpha=0.3)
        panel.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
        label(panel, title, 'passes through blocks (0: embedding)', y)
    add_legend(axes[0, 0])
    return figure


def draw_matrices(rows: list[dict], axis: str, meaning: str) -> Figure:
    """Draw a matrix for each ``model`` (rows) and ``block`` (columns) of a table.

    Args:
        rows: with ``model``, ``block``, ``y``, ``x`` and ``value``.
        axis: what both axes number.
        meaning: of the values, beside the color bar.
    """
    models = {model: grouped(own, 'block') for model, own in grouped(rows, 'model').items()}
    figure, axes = new_figure(len(models), max(map(len, models.values())), (2.9, 2.7))
    least = min(0.0, *(row['value'] for row in rows))
    for (model, blocks), line in zip(models.items(), axes, strict=True):
        hide(line[len(blocks) :])
        for (block, own), panel in zip(blocks.items(), line, strict=False):
            image = panel.imshow(as_matrix(own), cmap=SEQUENTIAL, vmin=least, vmax=1)
            label(panel, f'{model}\nblock {block}', axis, axis)
    figure.colorbar(image, ax=axes, label=meaning, shrink=0.8)
    return figure
