"""Learned residual coefficients over a training (SReT, Fig. 6(2) and 16), or of a checkpoint.

``CoefficientShortcut`` learns a factor of the stream (``identity``) and one of the branch. The hook
:class:`~vitbackbones.training.hooks.curves.CoefficientsHook` writes all of a model to
``coefficients.csv`` after every epoch: a row an epoch, a column a coefficient, under the names of
the parameters.
"""

import csv
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from matplotlib.figure import Figure
from torch import Tensor

from ...errors import InputError
from ...utils.files import as_csv
from ...weights.read.load import load_file
from .plots import COLORS, grouped, label, new_figure, unique

TABLE = 'coefficients.csv'
PLACES = ('epoch', 'iteration')  # the first columns
NAME = re.compile(
    r'(?P<block>.+?)\.(nlls\.(?P<turn>\d+)\.)?shortcut(_(?P<branch>\w+))?\.(?P<side>identity|branch)'
)
PARTS = {'attn': 'attention', 'mlp': 'FFN', None: 'NLL'}  # what blocks call their shortcuts
DASHES = {'identity': '-', 'branch': '--'}
COLUMNS = 5  # of panels
PANEL = (2.9, 2.3)  # inches


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
    return as_csv([{key: f'{value:.9g}' for key, value in row.items()} for row in rows])


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


def draw(rows: Sequence[dict]) -> Figure:
    """Draw a panel for each run and block over the epochs, of a single epoch one over the blocks.

    Each row has got the name of its run as ``model``.
    """
    over_time = len(unique(rows, 'epoch')) > 1
    across, marker, turn = ('epoch', '', 0) if over_time else ('block', 'o', 20)
    panels = grouped(rows, 'model', 'block') if over_time else grouped(rows, 'model')
    columns = min(COLUMNS, len(panels))
    figure, grid = new_figure(math.ceil(len(panels) / columns), columns, PANEL, sharey=True)
    parts, lines = unique(rows, 'part'), {}
    for (place, panel), axes in zip(panels.items(), grid.flat, strict=False):
        for (part, side), line in grouped(panel, 'part', 'side').items():
            places, values = [row[across] for row in line], [row['value'] for row in line]
            color = COLORS[parts.index(part) % len(COLORS)]
            (drawn,) = axes.plot(places, values, f'{DASHES[side]}{marker}', color=color)
            lines[f'{part}, {side}'] = drawn
        label(axes, '\n'.join(place), across, 'coefficient')
        axes.tick_params(axis='x', rotation=turn)
        if over_time:
            axes.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
        axes.grid(alpha=0.3)
    for empty in grid.flat[len(panels) :]:
        empty.set_axis_off()
    figure.legend(lines.values(), lines, loc='outside right center', fontsize=8)
    return figure
