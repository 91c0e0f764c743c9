"""Every ablation of the papers is one line: it builds, trains by its config, and has its size."""

import copy
import dataclasses
import shlex
from argparse import ArgumentParser
from functools import cache

import pytest
from mmpretrain.registry import MODELS
from mmpretrain.utils import register_all_modules

from vitbackbones.commands.cli import add_shared
from vitbackbones.configuration.lint import lint
from vitbackbones.configuration.read import read_config, with_options

from .commands.conftest import ROOT, load_tool
from .shipped import PRINTED

pytestmark = pytest.mark.compat
ROWS = [
    (paper, table, rows[0])
    for paper in PRINTED.PAPERS
    for table in paper.tables
    for rows in PRINTED.groups(table.rows, 'row')
    if rows[0].config
]
each_row = pytest.mark.parametrize(
    ('paper', 'table', 'row'),
    ROWS,
    ids=[f'{paper.title.split()[0]}-{table.place}-{row.row}' for paper, table, row in ROWS],
)


@pytest.fixture(scope='module')
def page():
    return load_tool('site/pages')


read_once = cache(read_config)


def read_row(row):
    """The config that trains a row, and the settings that it is given on the command line."""
    file, *line = shlex.split(PRINTED.arguments(row))
    parser = ArgumentParser()
    add_shared(parser.add_argument, '--cfg-options')
    options = parser.parse_args(line).cfg_options
    return with_options(read_once(ROOT / file), options), options


def test_the_papers_have_137_rows():
    printed = {
        paper.name: sum(len(PRINTED.groups(table.rows, 'row')) for table in paper.tables)
        for paper in PRINTED.PAPERS
    }
    assert printed == {'SReT': 42, 'MSF': 38, 'Aug-ViT': 46, 'TNT': 11}
    assert len(ROWS) == 136  # PiT is no host


@each_row
def test_a_row_has_the_size_that_is_known(page, paper, table, row):
    found = page.counted(row.model)
    assert row.count in (None, found.parameters)
    parameters = dataclasses.replace(row, flops='')
    differs = page.printed_sizes(paper, parameters, table.plain)[0].endswith(')')
    assert not differs or row.note  # which says why


@each_row
def test_a_row_is_one_line_for_its_config(page, paper, table, row):
    register_all_modules(init_default_scope=True)
    config, options = read_row(row)
    lint(config, options)
    found = page.count(lambda: MODELS.build(copy.deepcopy(config.model)))
    assert found == page.counted(row.model)


@pytest.mark.parametrize(('model', 'letters'), [('simple_vit_s', 'QKVW'), ('msf_vit_s', 'QKVPW')])
def test_any_number_of_matrices_has_the_printed_size(page, model, letters):
    printed = {1: 16.60, 2: 18.37, 3: 20.14, 4: 21.91, 5: 23.68}
    for number in range(1, len(letters) + 1):
        way = letters[:number] + letters[number - 1] * (len(letters) - number)
        found = page.counted(f'ours:{model},attention.sharing={way}')
        assert round(found.weights / 1e6, 2) == printed[number], way


@pytest.mark.parametrize(
    ('spec', 'parameters'),
    [
        *((f'deit_s,{rate}', 22_050_664) for rate in ('drop_path_rate=0.3', 'drop_rate=0.2')),
        *((f'aug_vit_s,{rate}', 22_142_824) for rate in ('drop_path_rate=0.3', 'drop_rate=0.2')),
        ('aug_vit_s,shortcut.blocks=16', 22_050_664 + 48 * 17 * 384),
        ('sret_t,groups=[[16,16],[4,4],[1,1]]', 4_755_979),
        ('sret_tl,groups=[[49,7],[5,3],[2]],permutation=[none,random]', 4_988_024),
        ('sret_tl,passes=3', 4_988_024 + 1_159_208 // 2),
        ('deit_ti,arch.depth=60', 5_717_416 + 48 * 444_864),
    ],
)
def test_other_values_of_a_row_have_the_size_of_its_table(page, spec, parameters):
    assert page.counted(f'ours:{spec}').parameters == parameters
