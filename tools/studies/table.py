"""The table of a study, as Markdown to read and CSV to compute with.

It shows whether two results differ by more than chance, or by less than matters.

Two models that are trained with the same seed see the same images in the same order, so their
difference varies less than either result. The test is Student's paired t-test on the differences of
each seed (``scipy.stats.ttest_rel``). Among many comparisons one is below 0.05 by chance. Holm's
correction (1979) keeps the probability of any such mistake below 0.05: the smallest of k values is
multiplied by k, the next by k - 1, and so on. The t-test asks whether other seeds would agree. A
bootstrap (Efron, 1979) asks whether other test images would: the images are sampled anew, with
repetition, and both variants are evaluated on the same ones.

A difference is higher or lower where both say so. If both intervals lie within the smallest effect
that matters, there is no effect of that size. Anything else is left open; see docs/lab/evidence.md.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np
from scipy import stats

CONFIDENCE = 0.95
DRAWS = 2000  # of all test pictures
LIMIT = 1 - CONFIDENCE  # for p after the correction


@dataclass(frozen=True)
class Variant:
    """What a study says of a variant."""

    name: str
    against: str  # the variant that it is compared with, itself if it is a baseline
    options: dict
    paper: float | None = None  # the number that the paper printed
    paper_against: float | None = None  # what the paper compares it with, if not that of against
    expected: tuple[float, float] | None = None  # bounds of the difference


@dataclass(frozen=True)
class Record:
    """What is known of a variant."""

    variant: Variant
    values: dict[int, float]  # the metric of each seed that has been trained
    parameters: int  # of the whole model
    rate: float | None = None  # of learning, where it was chosen
    over_pictures: tuple[float, float] | None = None  # interval of the difference, by bootstrap


@dataclass(frozen=True)
class Difference:
    """The difference of two results over the seeds that both have; NaN what is not known."""

    pairs: int  # how many seeds both have
    mean: float = nan
    low: float = nan  # with high, the interval that holds the true mean with 95 % confidence
    high: float = nan
    p: float = nan  # the probability of so large a difference if there were none


COLUMNS = {
    'variant': 'variant',
    'parameters': 'parameters, M',
    'rate': 'rate',
    'runs': 'runs',
    'mean': 'mean',
    'deviation': 'sd',
    'against': 'against',
    'difference': 'difference',
    'interval': '95 % over seeds',
    'over_pictures': '95 % over pictures',
    'p_corrected': 'p, corrected',
    'verdict': 'verdict',
    'expected': 'expected',
    'as_expected': 'as expected',
    'paper': 'paper',
    'paper_difference': "paper's difference",
}


def table(records: Iterable[Record], smallest: float | None = None) -> list[dict[str, str]]:
    """Return a row of texts for each variant, with the keys of :data:`COLUMNS`.

    ``smallest`` is the smallest difference that matters.
    """
    by_name = {record.variant.name: record for record in records}
    differences = {
        name: paired_difference(record.values, by_name[record.variant.against].values)
        for name, record in by_name.items()
        if record.variant.against != name
    }
    p_values = holm([each.p for each in differences.values()])
    corrected = dict(zip(differences, p_values, strict=True))
    rows = []
    for name, record in by_name.items():
        row = dict.fromkeys(COLUMNS, '') | _own_columns(record)
        if name in differences:
            paper = paper_difference(record.variant, by_name[record.variant.against].variant)
            row['against'] = record.variant.against
            row['paper_difference'] = '' if isnan(paper) else f'{paper:+.2f}'
            row |= _compared_columns(record, differences[name], corrected[name], smallest)
        rows.append(row)
    return rows


def paper_difference(variant: Variant, against: Variant) -> float:
    """Return by how much the paper's number differs from what it is compared with, or NaN."""
    subtracted = against.paper if variant.paper_against is None else variant.paper_against
    return nan if None in (variant.paper, subtracted) else variant.paper - subtracted


def _own_columns(record: Record) -> dict[str, str]:
    values = list(record.values.values())
    variant = record.variant
    paper = '' if variant.paper is None else f'{variant.paper:g}'
    if paper and variant.paper_against is not None:
        paper += f' ({variant.paper_against:g})'
    return {
        'variant': variant.name,
        'parameters': f'{record.parameters / 1e6:.3f}',
        'rate': f'{record.rate:g}' if record.rate else '',
        'runs': str(len(values)),
        'mean': f'{np.mean(values):.2f}' if values else '',
        'deviation': f'{np.std(values, ddof=1):.2f}' if len(values) > 1 else '',
        'expected': _interval(variant.expected),
        'paper': paper,
    }


def _compared_columns(
    record: Record, found: Difference, corrected: float, smallest: float | None
) -> dict[str, str]:
    """Return what is said of a variant's difference."""
    if not found.pairs:
        return {}
    columns = {'difference': f'{found.mean:+.2f}'}
    if record.variant.expected:
        low, high = record.variant.expected
        columns['as_expected'] = 'yes' if low <= found.mean <= high else 'no'
    if isnan(found.p):
        reason = 'one pair' if found.pairs < 2 else 'a result is not a number'
        return columns | {'verdict': f'{reason}: no verdict possible'}
    intervals = [(found.low, found.high), record.over_pictures or (found.low, found.high)]
    verdict = 'open'
    if smallest and all(-smallest < low and high < smallest for low, high in intervals):
        verdict = f'no effect of {smallest:g}'
    elif corrected < LIMIT and all(low * high > 0 for low, high in intervals):
        verdict = 'higher' if found.mean > 0 else 'lower'
    return columns | {
        'interval': _interval(intervals[0]),
        'over_pictures': _interval(record.over_pictures),
        'p_corrected': '<0.001' if corrected < 0.0005 else f'{corrected:.3f}',
        'verdict': verdict,
    }


def _interval(bounds: tuple[float, float] | None) -> str:
    return '{:+.2f} to {:+.2f}'.format(*bounds) if bounds else ''


def markdown(rows: list[dict[str, str]]) -> str:
    """Write the rows as a table of Markdown."""
    lines = [COLUMNS.values(), ['---'] * len(COLUMNS)]
    lines += [
        [f'`{row[key]}`' if key in ('variant', 'against') and row[key] else row[key] for key in row]
        for row in rows
    ]
    return '\n'.join(f'| {" | ".join(cells)} |' for cells in lines)


def paired_difference(values: dict[int, float], reference: dict[int, float]) -> Difference:
    """Compare the results of each seed with those of a ``reference``, which are subtracted."""
    seeds = sorted(values.keys() & reference.keys())
    if not seeds:
        return Difference(0)
    ours, theirs = [[each[seed] for seed in seeds] for each in (values, reference)]
    differences = np.subtract(ours, theirs)
    mean = float(differences.mean())
    if len(seeds) < 2:
        return Difference(1, mean)
    if np.ptp(differences) == 0:  # no noise at all: the test would divide by it
        return Difference(len(seeds), mean, mean, mean, float(mean == 0))
    test = stats.ttest_rel(ours, theirs)
    low, high = test.confidence_interval(CONFIDENCE)
    return Difference(len(seeds), mean, float(low), float(high), float(test.pvalue))


def bootstrap(ours: np.ndarray, theirs: np.ndarray) -> tuple[float, float]:
    """Return the 95 % interval of the difference of two accuracies, over pictures drawn anew.

    Args:
        ours, theirs: which pictures were right, (runs, pictures).
    """
    differences = 100 * (ours.mean(0) - theirs.mean(0))  # (pictures,), in points
    random = np.random.default_rng(0)
    count = len(differences)
    means = [differences[random.integers(count, size=count)].mean() for _ in range(DRAWS)]
    low, high = np.quantile(means, [LIMIT / 2, 1 - LIMIT / 2])
    return float(low), float(high)


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p values for their number; NaN, of comparisons that could not be made, stays.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    corrected = list(p_values)
    made = sorted((p, i) for i, p in enumerate(p_values) if not np.isnan(p))
    least = 0.0
    for rank, (p, i) in enumerate(made):
        least = max(least, min(1.0, p * (len(made) - rank)))
        corrected[i] = least
    return corrected
