"""Every ablation of the papers is one line: it builds, trains by its config, and has its size."""

import copy
import shlex
from argparse import ArgumentParser
from functools import cache
from itertools import product

import pytest
from mmpretrain.registry import MODELS
from mmpretrain.utils import register_all_modules

from vitbackbones.analysis.complexity import count
from vitbackbones.analysis.published.ablations import PAPERS, arguments, model_spec, walk
from vitbackbones.benchmarking.model_sources import SOURCES, build_model
from vitbackbones.commands.cli import add_common_arguments
from vitbackbones.config.lint import lint
from vitbackbones.config.read import read_config, with_options
from vitbackbones.errors import InputError
from vitbackbones.layers import DotProductAttention, MeanShiftAttention

from .tools.conftest import ROOT, load_tool

pytestmark = pytest.mark.compat
ROWS = list(walk(PAPERS))
each_row = pytest.mark.parametrize(
    ('paper', 'table', 'row'),
    ROWS,
    ids=[f'{paper.title.split()[0]}-{table.place}-{row.row}' for paper, table, row in ROWS],
)


@pytest.fixture(scope='module')
def page():
    return load_tool('ablation_table')


read_once = cache(read_config)


def read_row(table, row):
    """The config that trains a row, and the settings that it is given on the command line."""
    file, *line = shlex.split(arguments(table, row))
    parser = ArgumentParser()
    add_common_arguments(parser)
    options = parser.parse_args(line).cfg_options
    return with_options(read_once(ROOT / file), options), options


def test_the_papers_have_137_rows():
    printed = {paper.title.split()[0]: sum(t.printed for t in paper.tables) for paper in PAPERS}
    assert printed == {'SReT': 42, 'MSF': 38, 'Aug-ViT': 46, 'TNT': 11}
    assert all(len(table.rows) <= table.printed for paper in PAPERS for table in paper.tables)


@each_row
def test_a_row_has_the_size_that_is_known(page, paper, table, row):
    found = page.counted(model_spec(table, row))
    assert row.count in (None, found.parameters)
    differs = page.size(paper, table, row).endswith(')')
    assert not differs or row.note  # which says why


@each_row
def test_a_row_is_one_line_for_its_config(page, paper, table, row):
    register_all_modules(init_default_scope=True)
    config, options = read_row(table, row)
    lint(config, options)
    found = count(lambda: MODELS.build(copy.deepcopy(config.model)))
    assert found == page.counted(model_spec(table, row))


def test_the_page_is_current(page):
    assert (ROOT / 'docs' / 'ablations.md').read_text() == '\n'.join(page.text())


@pytest.mark.parametrize(
    ('attention', 'letters'), [(DotProductAttention, 'QKVW'), (MeanShiftAttention, 'QKVPW')]
)
def test_every_way_to_share_has_its_number_of_matrices(attention, letters):
    """MSF's Tables 1 and 2 print some of them."""
    ways = {way for way in map(''.join, product(letters, repeat=len(letters))) if is_named(way)}
    assert len(ways) == {4: 15, 5: 52}[len(letters)]
    for way in ways:
        found = count(lambda way=way: attention(8, 2, False, proj_bias=False, sharing=way))
        assert found.weights == len({*way}) * 8**2, way


def is_named(way):
    """Whether each letter is that of the first role that it serves."""
    roles = 'QKVW' if len(way) == 4 else 'QKVPW'
    return all(way.index(letter) == roles.index(letter) for letter in way)


@pytest.mark.parametrize(
    ('spec', 'reason'),
    [
        ('deit_ti,arch.depth=0', 'arch.depth=0'),
        ('tnt_s,arch.inner_heads=5', 'embed_dims=24 is not a multiple of num_heads=5'),
        ('tnt_s,pixels=3', 'patch_size=16 is not a multiple of pixels=3'),
        ('aug_vit_s,shortcut.blocks=5', 'embed_dims=384 is not a multiple of blocks=5'),
        ('aug_vit_s,shortcut.paths=0', 'paths=0'),
        ('msf_vit_s,attention.sharing=QKVPP,groups=2', 'W is never grouped'),
        ('simple_vit_s,attention.sharing=QKVPW', 'sharing'),
        ('pvt_s,attention.type=SlicedAttention', 'cannot read keys of other tokens'),
        ('deit_ti,recursion.passes=2,recursion.nll=per_sweep,recursion.nll_ratio=1', 'external'),
        ('sret_t,groups=[[8,2]]', 'for each of the 3 stages'),
    ],
)
def test_an_ablation_without_meaning_is_refused_with_the_reason(spec, reason):
    with pytest.raises(InputError, match='^ours:') as refusal:
        build_model(f'ours:{spec}', (224, 224), SOURCES)
    assert reason in str(refusal.value)
