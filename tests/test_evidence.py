"""The published tables are what their runs give, with the studies' numbers of the papers."""

import csv
import re
from pathlib import Path
from statistics import mean

import pytest

from tools.studies.study import read_study
from tools.studies.table import COLUMNS, Record, table

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / 'docs' / 'lab' / 'evidence.md').read_text()
STUDIES = sorted((ROOT / 'configs' / 'studies').glob('*.py'))
COMPUTED = [key for key in COLUMNS if key != 'parameters']
RUNS = ROOT / 'docs' / 'lab' / 'evidence'


def published(name):
    """Return the rows of a study's table on the page."""
    section = PAGE.partition(f'configs/studies/{name}.py)')[2].partition('\n## ')[0]
    lines = [line for line in section.splitlines() if line.startswith('| `')]
    cells = [[cell.strip(' `') for cell in line.split('|')[1:-1]] for line in lines]
    return [dict(zip(COLUMNS, row, strict=True)) for row in cells]


@pytest.mark.parametrize('file', sorted(RUNS.glob('*.csv')), ids=lambda file: file.stem)
def test_a_table_follows_from_its_runs(file):
    study = read_study(ROOT / 'configs' / 'studies' / f'{file.stem}.py')
    with open(file) as content:
        runs = [row for row in csv.DictReader(content) if row[study.metric]]
    records, rows = [], published(study.name)
    for variant, row in zip(study.variants.values(), rows, strict=True):
        own = [each for each in runs if each['variant'] == variant.name]
        seeds, at_rate = {}, {}
        for each in own:
            value = float(each[study.metric])
            if int(each['seed']) in study.seeds:
                seeds[int(each['seed'])] = value
            else:
                at_rate.setdefault(float(each['rate']), []).append(value)
        tried = [(mean(values), rate) for rate, values in at_rate.items()]
        rate = max(tried)[1] if tried else None
        interval = [float(word) for word in row['over_pictures'].split(' to ') if word]
        records.append(Record(variant, seeds, 0, rate, tuple(interval) or None))
    shown = [{key: row[key] for key in COMPUTED} for row in rows]
    computed = table(records, study.smallest_effect)
    assert shown == [{key: row[key] for key in COMPUTED} for row in computed]


def test_the_page_is_about_every_study_and_says_which_did_not_run():
    names = {path.stem for path in STUDIES}
    assert {*re.findall(r'configs/studies/(\w+)\.py\)', PAGE)} == names
    waiting = PAGE.partition('## Not run yet')[2].partition('\n## ')[0]
    missing = {*re.findall(r'configs/studies/(\w+)\.py\)', waiting)}
    assert missing == names - {file.stem for file in RUNS.glob('*.csv')}
