"""Losses, rates and metrics of training runs, read from the log that mmengine writes.

A resumed run goes on from a checkpoint, so whatever an earlier start logged beyond that place was
trained again and does not count.

The hook :class:`~vitbackbones.training.hooks.curves.CurvesHook` draws each run, and ``analyze
curves`` lays several over each other.
"""

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import InputError, printable
from .run_log import LOGS, records

if TYPE_CHECKING:  # every training run imports this module, and draws seconds later, if at all
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

EPOCH, ITERATION = 'epoch', 'iteration'
# What places a record in the run or measures the machine, and what other files show.
NO_CURVES = re.compile(r'(step|iter|epoch|time|data_time|memory)$|coefficients/')
# Losses of DETR's inner decoder layers and of auxiliary heads; the sum has them all.
INNER = re.compile(r'(d|aux[_.])\d+\.')
# Panels of what training logs, by the first pattern that its name holds.
PANELS = {
    'loss': re.compile('loss'),
    'learning rate': re.compile('lr$'),
    'gradient norm': re.compile('grad_norm'),
    'training accuracy': re.compile('acc'),
}
# Of several runs these alone are drawn; the parts of the loss and further rates are in the table.
MAIN = {'loss': 'loss', 'learning rate': 'lr'}
# Panels that become logarithmic where the largest value is this many times the least.
LOGARITHMIC, FACTOR = ('loss', 'gradient norm'), 30
COLUMNS = 3  # of panels
LARGEST = 1e100  # of a value that is drawn

# ------------------------------------------------------------------------ the log


def measure(work_dir: str | Path) -> list[dict]:
    """Return one row per logged value: ``split``, ``quantity``, ``unit`` of ``step``, ``value``.

    ``split`` is ``'train'`` or ``'val'``, ``unit`` ``'iteration'`` or ``'epoch'``. Values that are
    not finite are kept.

    Raises:
        InputError: no run has logged anything there.
    """
    points: dict[tuple[str, str, str], dict[int, float]] = defaultdict(dict)
    last, by_epoch = 0, False
    for record in records(Path(work_dir)):
        trained = 'iter' in record
        if trained:
            if record['iter'] <= last:  # of a new start: what it trains again does not count
                start = {ITERATION: record['iter'], EPOCH: record.get('epoch', 1)}
                for (_, _, unit), values in points.items():
                    for step in [step for step in values if step >= start[unit]]:
                        del values[step]
            last, by_epoch = record['iter'], 'epoch' in record
        # without epochs, mmengine may count evaluations by an epoch that stays 0
        in_epochs = by_epoch and not trained and record['step'] > 0
        unit = EPOCH if in_epochs else ITERATION
        for name, value in record.items():
            if isinstance(value, int | float) and not NO_CURVES.match(name):
                points['train' if trained else 'val', name, unit][record['step'] or last] = value
    if not points:
        raise InputError(f'{work_dir}: no run has logged anything there (looked for {LOGS})')
    return [
        {'split': split, 'quantity': name, 'unit': unit, 'step': step, 'value': value}
        for (split, name, unit), values in points.items()
        for step, value in values.items()
    ]


# ------------------------------------------------------------------------ the picture


def draw(rows: Sequence[dict]) -> 'Figure':
    """Draw one run with a panel for each kind of quantity, or several with one for each quantity.

    Args:
        rows: of :func:`measure`, each with the name of its run as ``model``.
    """
    from .plots import new_figure, unique

    runs = unique(rows, 'model')
    shown = [
        row
        for row in rows
        if not INNER.match(row['quantity'])
        and not (row['split'] == 'val' and row['value'] == -1)  # COCO's "no such object"
    ]
    panels = _panels(shown, len(runs) > 1)
    height = math.ceil(len(panels) / COLUMNS)
    figure, grid = new_figure(height, math.ceil(len(panels) / height), (5.0, 3.4))
    for axes, (title, panel) in zip(grid.flat, panels.items(), strict=False):
        _draw_panel(axes, title, panel, runs)
    for axes in grid.flat[len(panels) :]:
        axes.set_axis_off()
    return figure


def _panels(rows: Sequence[dict], several: bool) -> dict[str, dict[str, list[dict]]]:
    """Return the rows of each line, by its name in the legend, by the title of its panel."""
    panels: dict[str, dict[str, list[dict]]] = {title: defaultdict(list) for title in PANELS}
    for row in rows:
        kind, _, name = _kind(row).rpartition(': ')
        title = f'{kind}: {name}' if several and kind != name else kind
        if not several or MAIN.get(kind, name) == name:
            lines = panels.setdefault(title, defaultdict(list))
            lines[row['model'] if several else name].append(row)
    return {title: lines for title, lines in panels.items() if lines}


def _kind(row: dict) -> str:
    """Return ``'panel: line'`` of a quantity.

    >>> _kind({'split': 'val', 'quantity': 'coco/bbox_mAP'})
    'validation, coco: bbox_mAP'
    """
    name = row['quantity']
    if row['split'] == 'train':
        found = (title for title, pattern in PANELS.items() if pattern.search(name))
        return f'{next(found, "training")}: {name}'
    metric, slash, name = name.rpartition('/')
    return f'validation{", " * len(slash)}{metric}: {name}'


def _without_twins(lines: dict[str, list[dict]]) -> dict[str, list[dict]]:
    """Return equal lines as one, under all of their names."""
    names: dict[tuple, list[str]] = defaultdict(list)
    for name, rows in lines.items():
        names[tuple((row['step'], row['value']) for row in rows)].append(name)
    return {' = '.join(equal): lines[equal[0]] for equal in names.values()}


def _draw_panel(
    axes: 'Axes', title: str, lines: dict[str, list[dict]], runs: Sequence[str]
) -> None:
    from .plots import add_legend, label, style_of

    lines = lines if len(runs) > 1 else _without_twins(lines)
    styles = {name: style_of(i) for i, name in enumerate(runs if len(runs) > 1 else lines)}
    for name, rows in lines.items():
        marker = '' if rows[0]['split'] == 'train' and len(rows) > 1 else styles[name]['marker']
        values = [row['value'] if _can_be_drawn(row['value']) else math.nan for row in rows]
        missing = [row['step'] for row in rows if not _can_be_drawn(row['value'])]
        text = f'{name} ({len(missing)} not drawn)' if missing else name
        steps = [row['step'] for row in rows]
        plain = printable(text).replace('$', r'\$')  # no formula
        axes.plot(steps, values, label=plain, **styles[name] | {'marker': marker})
        if missing:  # on the lower edge
            edge = {'transform': axes.get_xaxis_transform(), 'clip_on': False}
            axes.plot(missing, [0] * len(missing), 'x', color=styles[name]['color'], **edge)
    label(axes, title, x=rows[0]['unit'])
    axes.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
    values = [row['value'] for rows in lines.values() for row in rows]
    finite = [value for value in values if _can_be_drawn(value)]
    if title.startswith(LOGARITHMIC) and finite and 0 < FACTOR * min(finite) < max(finite):
        axes.set_yscale('log')
    axes.grid(alpha=0.3)
    add_legend(axes)


def _can_be_drawn(value: float) -> bool:
    """Whether a value is finite, and not so large that the scale of an axis would overflow."""
    return abs(value) < LARGEST  # which NaN is not
