"""The published tables are what their runs give, with the studies' numbers of the papers."""

import csv
import re
from math import nan
from pathlib import Path

import pytest

from vitbackbones.commands.study import read_study
from vitbackbones.results.analysis.study_table import COLUMNS, Record, table

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / 'docs' / 'evidence.md').read_text()
STUDIES = sorted((ROOT / 'configs' / 'studies').glob('*.py'))
COMPUTED = [key for key in COLUMNS if key not in ('parameters', 'step_seconds')]


def published(name):
    """Return the rows of a study's table on the page."""
    section = PAGE.partition(f'configs/studies/{name}.py)')[2].partition('\n## ')[0]
    lines = [line for line in section.splitlines() if line.startswith('| `')]
    cells = [[cell.strip(' `') for cell in line.split('|')[1:-1]] for line in lines]
    return [dict(zip(COLUMNS, row, strict=True)) for row in cells]


@pytest.mark.parametrize('path', STUDIES, ids=lambda path: path.stem)
def test_a_table_follows_from_its_runs(path):
    study = read_study(path)
    with open(ROOT / 'docs' / 'evidence' / f'{study.name}.csv') as file:
        runs = [row for row in csv.DictReader(file) if row[study.metric]]
    records = []
    for variant in study.variants.values():
        own = [row for row in runs if row['variant'] == variant.name]
        values = {int(row['seed']): float(row[study.metric]) for row in own}
        numbers = (variant.paper, variant.paper_against)
        records.append(Record(variant.name, variant.against, values, *numbers, 0, nan))
    shown = [{key: row[key] for key in COMPUTED} for row in published(study.name)]
    assert shown == [{key: row[key] for key in COMPUTED} for row in table(records)]


def test_the_page_is_about_every_study():
    assert {*re.findall(r'configs/studies/(\w+)\.py\)', PAGE)} == {path.stem for path in STUDIES}
