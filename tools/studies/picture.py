"""The picture of a study: every seed, means and intervals, and the paper's differences."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from vitbackbones.analysis.plots import COLORS, label, new_figure

from .table import Record, paired_difference, paper_difference


def draw(records: Sequence[Record], metric: str, smallest: float | None = None) -> Figure:
    """Draw a metric of the variants, and its differences to what they are compared with.

    Dots are seeds, bars means and their 95 % intervals, gray boxes what was expected, diamonds the
    paper's differences. Between the dotted lines lies what is too small to matter. The axis of the
    differences is linear up to 1 and logarithmic beyond.
    """
    by_name = {record.variant.name: record for record in records}
    figure, ((left, right),) = new_figure(1, 2, (4.5, 1 + 0.35 * len(records)), sharey=True)
    left.set_yticks(range(len(records)), list(by_name))
    left.set_ylim(len(records) - 0.5, -0.5)  # the first on top
    for row, record in enumerate(records):
        variant = record.variant
        against = by_name[record.variant.against]
        _draw_row(left, row, record.values, dict.fromkeys(record.values, 0))
        if against is not record:
            low, high = variant.expected or (0, 0)
            right.barh(row, high - low, 0.6, low, color='0.85')
            _draw_row(right, row, record.values, against.values)
            paper = paper_difference(variant, against.variant)
            right.plot(paper, row, 'D', color=COLORS[1], fillstyle='none')
    for x, style in ((0, '-'), (-(smallest or 0), ':'), (smallest or 0, ':')):
        right.axvline(x, color='0.5', linewidth=0.8, linestyle=style)
    right.set_xscale('symlog', linthresh=1, subs=(3,))
    right.xaxis.set_major_formatter('{x:g}')
    right.xaxis.set_minor_formatter('{x:g}')
    label(left, 'each seed, mean and 95 % interval', f'{metric}, %')
    label(right, 'difference; expected (gray), in the paper (diamond)', 'points')
    return figure


def _draw_row(axes: Axes, row: int, values: dict[int, float], reference: dict[int, float]) -> None:
    each = [value - reference[seed] for seed, value in values.items() if seed in reference]
    axes.plot(each, [row] * len(each), 'o', color=COLORS[0], alpha=0.4, markersize=4)
    found = paired_difference(values, reference)
    axes.plot([found.low, found.mean, found.high], [row] * 3, 'k|-', markersize=8)
