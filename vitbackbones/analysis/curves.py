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

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..errors import InputError, printable
from .plots import grouped, label, new_figure, style_of
from .run_log import LOGS, NO_METRICS, records

EPOCH = 'epoch'
ITERATION = 'iteration'
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
LOGARITHMIC = ('loss', 'gradient norm')
FACTOR = 30
COLUMNS = 3  # of panels
LARGEST = 1e100  # of a value that is drawn


def measure(work_dir: str | Path) -> list[dict]:
    """Return one row per logged value: ``split``, ``quantity``, ``unit`` of ``step``, ``value``.

    ``split`` is ``'train'`` or ``'val'``, ``unit`` ``'iteration'`` or ``'epoch'``. Values that are
    not finite are kept.

    Raises:
        InputError: no run has logged anything there.
    """
    points: dict[tuple[str, str, str], dict[int, float]] = defaultdict(dict)
    last = 0
    by_epoch = False
    for record in records(Path(work_dir)):
        trained = 'iter' in record
        if trained:
            if record['iter'] <= last:  # of a new start: what it trains again does not count
                start = {ITERATION: record['iter'], EPOCH: record.get('epoch', 1)}
                for (_, _, unit), values in points.items():
                    for step in [step for step in values if step >= start[unit]]:
                        del values[step]
            last = record['iter']
            by_epoch = 'epoch' in record
        # without epochs, mmengine may count evaluations by an epoch that stays 0
        in_epochs = by_epoch and not trained and record['step'] > 0
        unit = EPOCH if in_epochs else ITERATION
        for name, value in record.items():
            if isinstance(value, int | float) and not NO_METRICS.match(name):
                points['train' if trained else 'val', name, unit][record['step'] or last] = value
    if not points:
        raise InputError(f'{work_dir}: contains no log of a run (looked for {LOGS})')
    return [
        {'split': split, 'quantity': name, 'unit': unit, 'step': step, 'value': value}
        for (split, name, unit), values in points.items()
        for step, value in values.items()
    ]


def draw(rows: Sequence[dict], best: int | None = None) -> Figure:
    """Draw one run with a panel for each kind of quantity, several with one for each quantity.

    Each row has got the name of its run as ``model``. The step ``best``, of the best checkpoint of
    one run, is marked in its validation.
    """
    runs = [*dict.fromkeys(row['model'] for row in rows)]
    shown = [
        row
        for row in rows
        if not INNER.match(row['quantity'])
        and not (row['split'] == 'val' and row['value'] == -1)  # COCO's "no such object"
    ]
    panels = _panels(shown, len(runs) > 1)
    height = math.ceil(len(panels) / COLUMNS)
    figure, grid = new_figure(height, math.ceil(len(panels) / height), (5.0, 3.4))
    for axes, (title, lines) in zip(grid.flat, panels.items(), strict=False):
        _draw_panel(axes, title, lines, runs if len(runs) > 1 else [*lines])
        if best is not None and title.startswith('validation'):
            _mark_best(axes, best)
    for axes in grid.flat[len(panels) :]:
        axes.set_axis_off()
    return figure


def _panels(rows: Sequence[dict], several: bool) -> dict[str, dict[str, list[dict]]]:
    """Return the rows of each line, by its name in the legend, by the title of its panel."""
    panels: dict[str, dict[str, list[dict]]] = {title: {} for title in PANELS}
    for (split, quantity), own in grouped(rows, 'split', 'quantity').items():
        kind, name = _panel_of(split, quantity)
        if not several:
            panels.setdefault(kind, {})[name] = own
        elif MAIN.get(kind, name) == name:
            title = f'{kind}: {name}' if kind != name else kind
            panels[title] = {run: points for (run,), points in grouped(own, 'model').items()}
    for title, lines in () if several else panels.items():
        names: dict[tuple, list[str]] = defaultdict(list)  # of lines that are equal
        for name, points in lines.items():
            names[tuple((row['step'], row['value']) for row in points)].append(name)
        panels[title] = {_in_legend(equal): lines[equal[0]] for equal in names.values()}
    return {title: lines for title, lines in panels.items() if lines}


def _in_legend(names: list[str]) -> str:
    """Return the names of equal lines; of many, such as all metrics at 0, only the first two."""
    return ' = '.join(names if len(names) < 4 else [*names[:2], '...'])


def _panel_of(split: str, quantity: str) -> tuple[str, str]:
    """Return the panel of a quantity and its name there.

    >>> _panel_of('val', 'coco/bbox_mAP')
    ('validation, coco', 'bbox_mAP')
    """
    if split == 'train':
        found = (title for title, pattern in PANELS.items() if pattern.search(quantity))
        return next(found, 'training'), quantity
    metric, slash, name = quantity.rpartition('/')
    return f'validation{", " * len(slash)}{metric}', name


def _draw_panel(
    axes: Axes, title: str, lines: dict[str, list[dict]], styled: Sequence[str]
) -> None:
    """Draw lines by name, each in the style of its place in ``styled``."""
    finite: list[float] = []
    for name, rows in lines.items():
        style = style_of(styled.index(name))
        if rows[0]['split'] == 'train' and len(rows) > 1:
            style['marker'] = ''
        # what an axis can hold: finite, and not so large that its scale would overflow
        drawn = [row['value'] if abs(row['value']) < LARGEST else math.nan for row in rows]
        finite += [value for value in drawn if not math.isnan(value)]
        missing = sum(map(math.isnan, drawn))
        text = f'{name} ({missing} not plotted)' if missing else name
        plain = printable(text).replace('$', r'\$')  # no formula
        axes.plot([row['step'] for row in rows], drawn, label=plain, **style)
    label(axes, title, x=rows[0]['unit'])
    axes.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
    if title.startswith(LOGARITHMIC) and finite and 0 < FACTOR * min(finite) < max(finite):
        axes.set_yscale('log')
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, framealpha=0.8)


def _mark_best(axes: Axes, best: int) -> None:
    """Mark the best evaluation, and say whether later ones have gained nothing."""
    is_last = best >= max(max(line.get_xdata()) for line in axes.lines)
    text = f'best checkpoint, {axes.get_xlabel()} {best}{"" if is_last else ": no gain since"}'
    axes.axvline(best, color='gray', linestyle=':', label=text)
    axes.legend(fontsize=8, framealpha=0.8)
