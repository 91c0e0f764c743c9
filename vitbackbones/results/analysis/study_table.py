"""The table of a study, as Markdown to read and CSV to compute with."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from io import StringIO
from math import isnan

import numpy as np

from .differences import LIMIT, Difference, holm, paired_difference


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
        if record.against != record.name:
            paper = _paper_difference(record, by_name[record.against])
            row |= {'against': record.against, 'paper_difference': _signed(paper)}
        if record.name in made:
            row |= _compared_columns(made[record.name], corrected[record.name], paper)
        rows.append(row)
    return rows


def _own_columns(record: Record) -> dict[str, str]:
    values = list(record.values.values())
    return {
        'variant': record.name,
        'parameters': f'{record.parameters / 1e6:.3f}',
        'step_seconds': '' if isnan(record.step_seconds) else f'{record.step_seconds:.3f}',
        'runs': str(len(values)),
        'mean': f'{np.mean(values):.2f}' if values else '',
        'deviation': f'{np.std(values, ddof=1):.2f}' if len(values) > 1 else '',
        'paper': _paper(record),
    }


def _paper(record: Record) -> str:
    if record.paper is None:
        return ''
    compared = '' if record.paper_against is None else f' ({record.paper_against:g})'
    return f'{record.paper:g}{compared}'


def _paper_difference(record: Record, reference: Record) -> float | None:
    subtracted = reference.paper if record.paper_against is None else record.paper_against
    return None if None in (record.paper, subtracted) else record.paper - subtracted


def _compared_columns(
    difference: Difference, corrected: float, paper: float | None
) -> dict[str, str]:
    columns = {'difference': _signed(difference.mean)}
    if paper and not isnan(difference.mean):
        columns['same_sign'] = 'yes' if difference.mean * paper > 0 else 'no'
    if isnan(difference.p):
        reason = 'one pair' if difference.pairs < 2 else 'a result is not a number'
        return columns | {'verdict': f'{reason}: cannot be said'}
    above = 'yes, higher' if difference.mean > 0 else 'yes, lower'
    return columns | {
        'interval': f'{_signed(difference.low)} to {_signed(difference.high)}',
        'p': _probability(difference.p),
        'p_corrected': _probability(corrected),
        'verdict': above if corrected < LIMIT else 'not shown',
    }


def _signed(value: float | None) -> str:
    return '' if value is None else f'{value:+.2f}'


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
