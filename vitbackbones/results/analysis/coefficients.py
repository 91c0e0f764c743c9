"""Learned residual coefficients over a training (SReT, Fig. 6(2) and 16), or of a checkpoint.

``CoefficientShortcut`` learns a factor of the stream (``identity``) and one of the branch. The hook
:class:`~vitbackbones.training.hooks.coefficients.CoefficientsHook` writes all of a model to
``coefficients.csv`` after every epoch: a row an epoch, a column a coefficient, under the names of
the parameters.
"""

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from pathlib import Path
from typing import TYPE_CHECKING

from torch import Tensor

from ...errors import InputError
from ...weights.read.load import load_file

if TYPE_CHECKING:  # a training run imports this module and draws nothing
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

TABLE = 'coefficients.csv'
PLACES = ('epoch', 'iteration')  # the first columns
NAME = re.compile(
    r'(?P<block>.+?)\.(nlls\.(?P<turn>\d+)\.)?shortcut(_(?P<branch>\w+))?\.(?P<side>identity|branch)'
)
PARTS = {'attn': 'attention', 'mlp': 'FFN', None: 'NLL'}  # what blocks call their shortcuts
DASHES = {'identity': '-', 'branch': '--'}
COLUMNS = 5  # of panels
PANEL = (2.9, 2.3)  # inches

# ------------------------------------------------------------------------ the table


def find_coefficients(parameters: Iterable[tuple[str, Tensor]]) -> dict[str, float]:
    """Return the coefficients among the named parameters of a model."""
    found = {name: value for name, value in parameters if NAME.fullmatch(name)}
    return {name: value.item() for name, value in found.items() if value.numel() == 1}


def read_table(path: Path) -> list[dict[str, float]]:
    """Return the rows of ``coefficients.csv``.

    Raises:
        InputError: the file cannot be read, or holds something else.
    """
    try:
        with path.open(newline='') as file:
            rows = [{key: float(row[key]) for key in row} for row in csv.DictReader(file)]
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f'{path}: not a table of coefficients ({error})') from error
    if any(place not in row for row in rows for place in PLACES):
        raise InputError(f'{path}: not a table of coefficients (no column {" or ".join(PLACES)})')
    return rows


def write_table(rows: Sequence[Mapping[str, float]]) -> bytes:
    """Return the content of ``coefficients.csv``."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator='\n')
    writer.writeheader()
    writer.writerows({key: f'{row[key]:.9g}' for key in row} for row in rows)
    return text.getvalue().encode()


# ------------------------------------------------------------------------ the analysis


def measure(place: str | Path) -> list[dict]:
    """Return one row per epoch and coefficient: ``epoch``, ``block``, ``part``, ``side``, value.

    Args:
        place: a work dir with ``coefficients.csv``, or a checkpoint, which is one epoch.

    Raises:
        InputError: there is neither, or the model has no such coefficients.
    """
    place = Path(place)
    if place.is_file():
        checkpoint = load_file(place)
        state = checkpoint.get('state_dict', checkpoint.get('model', checkpoint))
        tensors = [(name, value) for name, value in state.items() if isinstance(value, Tensor)]
        epoch = checkpoint.get('meta', {}).get('epoch', 0)
        rows = [{'epoch': epoch, **find_coefficients(tensors)}]
    elif (place / TABLE).is_file():
        rows = read_table(place / TABLE)
    else:
        raise InputError(
            f'{place}: no {TABLE}. Runs of models with learned residual coefficients '
            '(CoefficientShortcut) write it after each epoch; of other runs name a checkpoint.'
        )
    names = [name for name in (rows[0] if rows else ()) if name not in PLACES]
    if not names:
        raise InputError(f'{place}: no learned residual coefficients (CoefficientShortcut)')
    return [
        {'epoch': int(row['epoch']), **_describe(name), 'value': row[name]}
        for row in rows
        for name in names
    ]


def _describe(name: str) -> dict[str, str]:
    """Take the name of a parameter apart.

    >>> _describe('backbone.stages.0.blocks.1.nlls.0.shortcut.branch')
    {'block': 'stage 1, block 2', 'part': 'NLL 1', 'side': 'branch'}
    """
    found = NAME.fullmatch(name)
    block = re.sub(r'^backbone\.', '', found['block'])
    block = re.sub(r'(\w+?)s?\.(\d+)', lambda place: f'{place[1]} {int(place[2]) + 1}', block)
    part = PARTS.get(found['branch'], found['branch'])
    turn = f' {int(found["turn"]) + 1}' if found['turn'] else ''
    return {'block': block.replace('.', ', '), 'part': f'{part}{turn}', 'side': found['side']}


# ------------------------------------------------------------------------ the picture


def draw(rows: Sequence[dict]) -> 'Figure':
    """Draw one panel per block over the epochs; of a single epoch one over the blocks.

    Args:
        rows: of :func:`measure`, each with the name of its run as ``model``.
    """
    from matplotlib.figure import Figure

    from .plots import unique

    runs = {
        name: _panels([r for r in rows if r['model'] == name]) for name in unique(rows, 'model')
    }
    shapes = [(math.ceil(len(run) / COLUMNS), min(COLUMNS, len(run))) for run in runs.values()]
    heights, widths = zip(*shapes, strict=True)
    size = (max(3, *widths) * PANEL[0], (sum(heights) + 0.3 * len(runs)) * PANEL[1])
    figure = Figure(size, layout='constrained', dpi=110)
    parts = figure.subfigures(len(runs), 1, squeeze=False, height_ratios=heights)[:, 0]
    for part, (name, run), shape in zip(parts, runs.items(), shapes, strict=True):
        part.suptitle(name)
        part.supylabel('coefficient', fontsize=9)
        grid = part.subplots(*shape, squeeze=False, sharex=True, sharey=True)
        _draw_run(part, run, iter(grid.flat))
    return figure


def _panels(rows: Sequence[dict]) -> dict[str, list[dict]]:
    """Return the rows of each panel of a run by its title."""
    from .plots import unique

    epochs = unique(rows, 'epoch')
    if len(epochs) == 1:
        return {f'epoch {epochs[0]}': list(rows)}
    return {block: [r for r in rows if r['block'] == block] for block in unique(rows, 'block')}


def _draw_run(figure: 'SubFigure', panels: dict[str, list[dict]], grid: Iterator['Axes']) -> None:
    from .plots import COLORS, label, unique

    rows = list(chain.from_iterable(panels.values()))
    over_time = len(unique(rows, 'epoch')) > 1
    across, marker, turn = ('epoch', '', 0) if over_time else ('block', 'o', 20)
    parts = unique(rows, 'part')
    lines = {}
    for (title, panel), axes in zip(panels.items(), grid, strict=False):
        for part, side in product(parts, DASHES):
            line = [row for row in panel if (row['part'], row['side']) == (part, side)]
            places, values = [row[across] for row in line], [row['value'] for row in line]
            color = COLORS[parts.index(part) % len(COLORS)]
            (drawn,) = axes.plot(places, values, f'{DASHES[side]}{marker}', color=color)
            lines[f'{part}, {side}'] = drawn
        label(axes, title, x=across)
        axes.tick_params(axis='x', rotation=turn)
        if over_time:
            axes.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
        axes.grid(alpha=0.3)
    for axes in grid:  # without a block
        axes.set_axis_off()
    figure.legend(lines.values(), lines, loc='outside right center', fontsize=8)
