"""docs/models.md says what the code counts and what the papers print."""

import pytest

from vitbackbones import list_models
from vitbackbones.analysis.published import BEYOND, FAMILIES, RESULTS
from vitbackbones.catalog import config_files
from vitbackbones.models import MODELS

from .conftest import ROOT, load_tool

DOCUMENT = (ROOT / 'docs' / 'models.md').read_text()
LINES = [line for line in DOCUMENT.splitlines() if line.startswith("| `'")]
ROWS = [(row, family) for family in FAMILIES for row in family.rows]
# Measured again here, at a second each: the smallest of every backbone class, all that options
# make, and the larger ones that the papers report most on.
SMALLEST = {entry[0]: name for name, entry in reversed(MODELS.items())}.values()
MAIN = ('deit_s', 'aug_vit_s', 'aug_vit_b', 'msf_vit_s', 'pvt_s', 't2t_t_14', 'tnt_s', 'sret_s')
MEASURED = [i for i, (row, _) in enumerate(ROWS) if row.options or row.name in (*SMALLEST, *MAIN)]


@pytest.fixture(scope='module')
def table():
    return load_tool('model_table')


def test_every_model_has_a_line():
    assert {row.name for row, _ in ROWS} == set(list_models())


def test_the_text_is_what_the_tool_writes(table, monkeypatch):
    """All but the measured numbers."""
    monkeypatch.setattr(table, 'cells', lambda row, family: [table.label(row)])
    written = [line for line in table.table() if not line.startswith("| `'")]
    kept = [line for line in DOCUMENT.splitlines() if not line.startswith("| `'")]
    assert kept == '\n'.join(written).splitlines()


def test_every_result_of_a_shipped_config_is_in_the_text_with_its_source():
    lines = DOCUMENT.splitlines()
    for result in RESULTS:
        shipped = result.config in config_files()
        names = (f'`{result.config}`', f"`'{result.model}'") if shipped else ()
        assert not names or any(
            line.startswith(tuple(f'| {name}' for name in names))
            and result.value in line
            and result.source in line
            for line in lines
        ), result


def test_what_is_known_beyond_top_1_agrees_with_the_results():
    """Of a config and a paper there is one top-1; a line here is in the text as it is."""
    assert len({(each.config, each.source) for each in BEYOND}) == len(BEYOND)
    for each in BEYOND:
        known = [r.value for r in RESULTS if (r.config, r.source) == (each.config, each.source)]
        assert known in ([], [each.top1]), each
        assert f'| `{each.config}` | {each.top1} | {each.top5} | {each.real} |' in DOCUMENT


def test_the_lines_are_those_of_the_published_numbers(table):
    assert len(LINES) == len(ROWS)
    for line, (row, family) in zip(LINES, ROWS, strict=True):
        fields = [field.strip() for field in line.strip('|').split('|')]
        assert fields[0] == table.label(row)
        assert fields[5:] == table.texts(row, family)
        printed = [field.partition(' / ')[2].partition(' ')[0] for field in fields[3:5]]
        assert printed == [row.parameters, row.flops]


@pytest.mark.parametrize('index', MEASURED, ids=lambda i: f'{ROWS[i][0].name}-{i}')
def test_the_counts_are_true(index, table):
    row, family = ROWS[index]
    assert LINES[index] == f'| {" | ".join(table.cells(row, family))} |'


def test_differences_show_only_where_the_printed_digits_differ(table):
    assert table.compare(22.1244, '22.2') == '22.1 / 22.2 (-0.1)'
    assert table.compare(4.6758, '4.7') == '4.7 / 4.7'
    assert table.compare(5.2, '') == ''
