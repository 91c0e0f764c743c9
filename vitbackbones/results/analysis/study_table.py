"""The table of a study, as Markdown to read and CSV to compute with.

It says whether two results differ by more than chance, from runs that share their seeds.

Two models trained with the same seed see the same pictures in the same order, so their difference
varies less than either result. The test is Student's paired t-test on the differences of each seed
(``scipy.stats.ttest_rel``). Few seeds make it weak: of three, the mean difference must be 2.5 times
the standard deviation of the differences before p falls below 0.05. A p value above it says that
nothing was shown, not that there is nothing.

Among many comparisons one is below 0.05 by chance. Holm's correction (1979) keeps the probability
of any such mistake below 0.05: the smallest of k values is multiplied by k, the next by k - 1, ...
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np
from scipy import stats

CONFIDENCE = 0.95
LIMIT = 1 - CONFIDENCE  # for p after the correction


@dataclass(frozen=True)
class Record:
    """What is known of a variant."""

    name: str
    against: str  # the variant that it is compared with, itself if it is a baseline
    values: dict[int, float]  # the metric of each seed that has been trained
    paper: float | None  # the number that the paper printed
    paper_against: float | None  # what the paper compares it with, if not the number of against
    parameters: int  # of the whole model
    step_seconds: float  # mean time of a training step, NaN if nothing was trained


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
    'step_seconds': 's/step',
    'runs': 'runs',
    'mean': 'mean',
    'deviation': 'sd',
    'against': 'against',
    'difference': 'difference',
    'interval': '95 % interval',
    'p': 'p',
    'p_corrected': 'p, corrected',
    'verdict': 'exceeds the noise',
    'paper': 'paper',
    'paper_difference': "paper's difference",
    'same_sign': "the paper's sign",
}


def table(records: Iterable[Record]) -> list[dict[str, str]]:
    """Return a row of texts for each variant, with the keys of :data:`COLUMNS`."""
    by_name = {record.name: record for record in records}
    differences = {
        record.name: paired_difference(record.values, by_name[record.against].values)
        for record in by_name.values()
        if record.against != record.name
    }
    p_values = holm([each.p for each in differences.values()])
    corrected = dict(zip(differences, p_values, strict=True))
    rows = []
    for name, record in by_name.items():
        row = dict.fromkeys(COLUMNS, '') | _own_columns(record)
        if name in differences:
            subtracted = record.paper_against
            if subtracted is None:
                subtracted = by_name[record.against].paper
            known = None not in (record.paper, subtracted)
            paper = record.paper - subtracted if known else nan
            row['against'] = record.against
            row['paper_difference'] = f'{paper:+.2f}' if known else ''
            row |= _compared_columns(differences[name], corrected[name], paper)
        rows.append(row)
    return rows


def _own_columns(record: Record) -> dict[str, str]:
    values = list(record.values.values())
    paper = '' if record.paper is None else f'{record.paper:g}'
    if paper and record.paper_against is not None:
        paper += f' ({record.paper_against:g})'
    return {
        'variant': record.name,
        'parameters': f'{record.parameters / 1e6:.3f}',
        'step_seconds': '' if isnan(record.step_seconds) else f'{record.step_seconds:.3f}',
        'runs': str(len(values)),
        'mean': f'{np.mean(values):.2f}' if values else '',
        'deviation': f'{np.std(values, ddof=1):.2f}' if len(values) > 1 else '',
        'paper': paper,
    }


def _compared_columns(found: Difference, corrected: float, paper: float) -> dict[str, str]:
    """Return what is said of a difference; ``paper`` is the one of the paper, NaN if unknown."""
    if not found.pairs:
        return {}
    columns = {'difference': f'{found.mean:+.2f}'}
    if paper and not isnan(found.mean * paper):
        columns['same_sign'] = 'yes' if found.mean * paper > 0 else 'no'
    if isnan(found.p):
        reason = 'one pair' if found.pairs < 2 else 'a result is not a number'
        return columns | {'verdict': f'{reason}: cannot be said'}
    above = 'yes, higher' if found.mean > 0 else 'yes, lower'
    return columns | {
        'interval': f'{found.low:+.2f} to {found.high:+.2f}',
        'p': _probability(found.p),
        'p_corrected': _probability(corrected),
        'verdict': above if corrected < LIMIT else 'not shown',
    }


def _probability(p: float) -> str:
    return '<0.001' if p < 0.0005 else f'{p:.3f}'


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
