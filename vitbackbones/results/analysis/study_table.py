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

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import StringIO
from math import isnan

import numpy as np
from scipy import stats

CONFIDENCE = 0.95
LIMIT = 1 - CONFIDENCE  # for p after the correction


@dataclass(frozen=True)
class Record:
    """What is known of a variant.

    Attributes:
        name: of the variant.
        against: the variant that it is compared with, itself if it is a baseline.
        values: the metric of each seed that has been trained.
        paper: the number that the paper printed, if any.
        paper_against: what the paper compares it with, if that is not the number of ``against``.
        parameters: of the whole model.
        step_seconds: mean time of a training step, NaN if nothing was trained.
    """

    name: str
    against: str
    values: dict[int, float]
    paper: float | None
    paper_against: float | None
    parameters: int
    step_seconds: float


@dataclass(frozen=True)
class Difference:
    """The difference of two results over the seeds that both have.

    Attributes:
        mean: of the differences.
        low, high: the interval that holds the true mean with a confidence of 95 %.
        p: the probability of so large a difference if there were none.
        pairs: how many seeds both have. Below two only ``mean`` is a number, the others are NaN.
    """

    mean: float
    low: float
    high: float
    p: float
    pairs: int


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
    compared = {
        record.name: paired_difference(record.values, by_name[record.against].values)
        for record in by_name.values()
        if record.against != record.name
    }
    made = {name: difference for name, difference in compared.items() if difference is not None}
    corrected = dict(zip(made, holm([each.p for each in made.values()]), strict=True))
    rows = []
    for record in by_name.values():
        row = dict.fromkeys(COLUMNS, '') | _own_columns(record)
        paper = None  # the paper's difference
        if record.against != record.name:
            reference = by_name[record.against]
            subtracted = reference.paper if record.paper_against is None else record.paper_against
            if None not in (record.paper, subtracted):
                paper = record.paper - subtracted
                row['paper_difference'] = f'{paper:+.2f}'
            row['against'] = record.against
        if record.name in made:
            row |= _compared_columns(made[record.name], corrected[record.name], paper)
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


def _compared_columns(
    difference: Difference, corrected: float, paper: float | None
) -> dict[str, str]:
    columns = {'difference': f'{difference.mean:+.2f}'}
    if paper and not isnan(difference.mean):
        columns['same_sign'] = 'yes' if difference.mean * paper > 0 else 'no'
    if isnan(difference.p):
        reason = 'one pair' if difference.pairs < 2 else 'a result is not a number'
        return columns | {'verdict': f'{reason}: cannot be said'}
    above = 'yes, higher' if difference.mean > 0 else 'yes, lower'
    return columns | {
        'interval': f'{difference.low:+.2f} to {difference.high:+.2f}',
        'p': _probability(difference.p),
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


def csv_text(rows: list[dict]) -> str:
    """Write rows with the same keys as CSV."""
    text = StringIO(newline='')
    writer = csv.DictWriter(text, fieldnames=rows[0].keys(), lineterminator='\n')
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def paired_difference(values: dict[int, float], reference: dict[int, float]) -> Difference | None:
    """Compare two results by their seeds; None if they share none.

    Args:
        values: the result of each seed.
        reference: what is subtracted.
    """
    seeds = sorted(values.keys() & reference.keys())
    if not seeds:
        return None
    ours, theirs = [[each[seed] for seed in seeds] for each in (values, reference)]
    differences = np.subtract(ours, theirs)
    mean = float(differences.mean())
    if len(seeds) < 2:
        return Difference(mean, np.nan, np.nan, np.nan, len(seeds))
    if np.ptp(differences) == 0:  # no noise at all: the test would divide by it
        return Difference(mean, mean, mean, float(mean == 0), len(seeds))
    test = stats.ttest_rel(ours, theirs)
    low, high = test.confidence_interval(CONFIDENCE)
    return Difference(mean, float(low), float(high), float(test.pvalue), len(seeds))


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
