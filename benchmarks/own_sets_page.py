"""The tables and the picture of what :mod:`benchmarks.own_sets` has measured.

Methods are compared on what both have run: the same sets and seeds. The ratio is the geometric mean
over sets of the ratio of scores, each the mean over seeds. A score below :data:`FLOOR` counts as
that, because a ratio to 0 says nothing. A set is won by the higher mean. The test is Wilcoxon's
signed-rank test on the logarithms of the ratios, one for each set and seed.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import log
from pathlib import Path
from statistics import geometric_mean, mean
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import stats

from vitbackbones.analysis.plots import label, new_figure, style_of
from vitbackbones.utils.files import whole_file, write_if_changed

from .table import table

MARK = '<!-- below: made by benchmarks/own_sets_page.py -->\n'
FLOOR = 0.001  # the last digit that the toolboxes write
TASKS = {'AP50': 'Boxes', 'mIoU': 'Masks'}  # titles, by the metric that is compared
REFERENCES = ('noise', 'noise_cpu')
FEW, MANY = 25, 100  # images: do the few of a method replace the many from noise?

Row = Mapping[str, str]
Scores = dict[tuple[str, str], float]  # by set and seed
Measured = dict[tuple[int, str], Scores]  # by number of images and method


class Comparison(NamedTuple):
    """How the scores of a method compare with others; see the docstring of the module."""

    sets: int
    wins: int
    pairs: int
    ratio: float
    p: float


def measured(rows: Sequence[Row], metric: str) -> Measured:
    """Return what the rows say of a metric; of equal ones the last counts."""
    found: Measured = defaultdict(dict)
    for row in rows:
        if row[metric]:
            found[int(row['n']), row['method']][row['set'], row['seed']] = float(row[metric])
    return dict(sorted(found.items(), key=lambda item: item[0][0]))


def compared(ours: Scores, theirs: Scores) -> Comparison | None:
    """Compare the scores of the sets and seeds that both have; None without any."""
    common = sorted(ours.keys() & theirs.keys())
    if not common:
        return None
    ratios = []
    for name in dict.fromkeys(name for name, _ in common):
        keys = [key for key in common if key[0] == name]
        ratios.append(_floored(mean_of(ours, keys)) / _floored(mean_of(theirs, keys)))
    p = p_value([log(_floored(ours[key]) / _floored(theirs[key])) for key in common])
    wins = sum(ratio > 1 for ratio in ratios)
    return Comparison(len(ratios), wins, len(common), geometric_mean(ratios), p)


def mean_of(scores: Scores, keys: Sequence[tuple[str, str]]) -> float:
    """Return the mean of some scores."""
    return mean(scores[key] for key in keys)


def _floored(score: float) -> float:
    return max(score, FLOOR)


def p_value(differences: Sequence[float]) -> float:
    """Return the p value of Wilcoxon's signed-rank test; a difference of 0 tells nothing."""
    unequal = [each for each in differences if each]
    return float(stats.wilcoxon(unequal).pvalue) if unequal else 1.0


# ------------------------------------------------------------------------ the page


def write_page(rows: Sequence[Row], page: Path, picture: Path) -> None:
    """Write the tables below the mark of a page, which keeps its prose, and the picture."""
    prose = page.read_text().partition(MARK)[0] if page.is_file() else ''
    write_if_changed(page, f'{prose}{MARK}{"".join(tables(rows))}'.encode())
    if boxes := measured(rows, 'AP50'):
        with whole_file(picture) as file:
            draw(boxes).savefig(file, format='png')


def tables(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of the generated part of the page."""
    for metric, title in TASKS.items():
        found = measured(rows, metric)
        if found:
            yield f'\n## {title}\n'
            yield from _all_sets(rows, found, metric)
            yield from _each_set(rows, metric)


def _all_sets(rows: Sequence[Row], found: Measured, metric: str) -> Iterator[str]:
    for reference in REFERENCES:
        pairs = [(key, (key[0], reference)) for key in found if key[1] != reference]
        yield from _section(f'{metric} against `{reference}`, all datasets', rows, found, pairs)
    pairs = [(key, (MANY, REFERENCES[0])) for key in found if key[0] == FEW]
    title = f'{metric} with {FEW} images against `{REFERENCES[0]}` with {MANY}, all datasets'
    yield from _section(title, rows, found, pairs)


def _section(
    title: str, rows: Sequence[Row], found: Measured, pairs: Sequence[tuple]
) -> Iterator[str]:
    """Yield a table with a line for each pair of (number of images, method) that is measured."""
    lines = []
    for ours, theirs in pairs:
        comparison = compared(found[ours], found.get(theirs, {}))
        if comparison:
            lines.append(_comparison_line(rows, *ours, comparison))
    if lines:
        yield f'\n### {title}\n\n'
        yield '| images | method | ratio | datasets won | pairs | p | CPU s |\n'
        yield '|---|---|---|---|---|---|---|\n'
        yield from lines


def _comparison_line(rows: Sequence[Row], n: int, method: str, found: Comparison) -> str:
    seconds = mean(
        float(row['cpu_s']) for row in rows if row['method'] == method and row['n'] == str(n)
    )
    p = '<0.0001' if found.p < 0.0001 else f'{found.p:.2g}'
    wins = f'{found.wins} of {found.sets}'
    return (
        f'| {n} | `{method}` | {found.ratio:.2f} | {wins} | {found.pairs} | {p} | {seconds:.0f} |\n'
    )


def _each_set(rows: Sequence[Row], metric: str) -> Iterator[str]:
    """Yield a table with a line for each set and number of images, a column for each method."""
    groups = defaultdict(list)
    for row in rows:
        if row[metric]:
            groups[row['set'], int(row['n']), row['method']].append(row)
    cells = [
        {'dataset': name, 'images': str(n), 'method': f'`{method}`', 'cell': _cell(group, metric)}
        for (name, n, method), group in sorted(groups.items(), key=lambda item: item[0][:2])
    ]
    yield f'\n### {metric} of each dataset\n\n'
    yield from (f'{line}\n' for line in table(cells, ['dataset', 'images'], ['method'], '{cell}'))


def _cell(rows: Sequence[Row], metric: str) -> str:
    """Return the mean over seeds, between which bounds it lies, and the mean AP of boxes."""
    scores = [float(row[metric]) for row in rows]
    digits = 3 if metric == 'AP50' else 1
    text = f'{mean(scores):.{digits}f}'
    if len(scores) > 1:
        text += f' ({min(scores):.{digits}f} to {max(scores):.{digits}f})'
    aps = [float(row['AP']) for row in rows if row['AP']]
    return f'{text}, AP {mean(aps):.3f}' if aps else text


# ------------------------------------------------------------------------ the picture


def draw(found: Measured) -> Figure:
    """Draw the means over seeds against the number of images: each set, and their mean."""
    sets = sorted({name for scores in found.values() for name, _ in scores})
    figure, axes = new_figure(-(-(len(sets) + 1) // 4), 4, (2.6, 2.3), sharex=True)
    for panel in axes.flat[len(sets) + 1 :]:
        panel.remove()
    for panel, name in zip(axes.flat, sets, strict=False):
        _draw_panel(panel, name, found, [name])
    last = axes.flat[len(sets)]
    _draw_panel(last, 'mean of all', found, sets)
    last.legend(fontsize=7)
    return figure


def _draw_panel(panel: Axes, title: str, found: Measured, sets: Sequence[str]) -> None:
    """Draw a line for each method, where it was measured on all ``sets``."""
    for number, method in enumerate(dict.fromkeys(method for _, method in found)):
        points = {}
        for (n, other), scores in found.items():
            by_set = [[x for (name, _), x in scores.items() if name == each] for each in sets]
            if other == method and all(by_set):
                points[n] = mean(map(mean, by_set))
        panel.plot(list(points), list(points.values()), label=method, **style_of(number))
    panel.set_xscale('log')
    ticks = sorted({n for n, _ in found})
    panel.set_xticks(ticks, ticks)
    panel.minorticks_off()
    panel.set_ylim(0)
    label(panel, title, 'images', 'AP50')
