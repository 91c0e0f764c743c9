"""The pages whose tables are made from the code say what the code says."""

import dataclasses
import json
import re
from math import isnan, nan
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from modelindex.load_model_index import load as load_index

from vitbackbones import list_models
from vitbackbones.backbones.names import MODELS
from vitbackbones.configuration.names import config_files
from vitbackbones.errors import InputError
from vitbackbones.utils.verbs import VERBS
from vitbackbones.weights import DETECTORS
from vitbackbones.weights.trained import trained_weights

from ..commands.conftest import load_tool
from ..shipped import PRINTED
from .pages import DOCS, ROOT, blocks

NOT_COUNTED = '...'
NOTHING = SimpleNamespace(macs=nan, norms=nan)
NO_SIZES = SimpleNamespace(parameters=0, path_biases=0, weights=0, macs=0, norms=0)
COUNTED = [
    ('ours:sret_ext', 224),
    ('ours:deit_ti', 224),
    ('ours:tnt_s,pixels=8,arch.inner_dims=96', 224),
]
ROWS = [(row, family) for family in PRINTED.FAMILIES for row in family.rows]
TRAINED = {*trained_weights()}
# Counted again here, at a second each: the smallest of every class, and all that options make.
SMALLEST = {entry[0]: name for name, entry in reversed(MODELS.items())}.values()


@pytest.fixture(scope='module')
def made():
    return load_tool('site/pages')


def page(name):
    return (DOCS / f'{name}.md').read_text()


def on_the_site(made, name):
    """The lines of a page that gets its tables on the site."""
    assert page(name).endswith(f'\n{made.MARK}'), f'the tables of {name}.md are not committed'
    return made.site_page(name, page(name)).splitlines()


def require_current(name, made):
    """Every cell but those that are not counted again."""
    wanted = made.with_tables(page(name), made.COMMITTED[name]()).splitlines()
    for line, other in zip(page(name).splitlines(), wanted, strict=True):
        cells = [line.split(' | '), other.split(' | ')]
        for ours, counted in zip(*cells, strict=True):
            assert counted in (ours, NOT_COUNTED), line


@pytest.mark.parametrize('name', ['lab/ablations', 'lab/printed', 'lab/weights', 'weights'])
def test_a_committed_page_is_current(made, name, monkeypatch):
    worked = made.worked
    monkeypatch.setattr(
        made,
        'worked',
        lambda spec, pixels: worked(spec, pixels) if (spec, pixels) in COUNTED else NOTHING,
    )
    compare = made.compare
    monkeypatch.setattr(
        made, 'compare', lambda ours, text: NOT_COUNTED if isnan(ours) else compare(ours, text)
    )
    require_current(name, made)


@pytest.mark.parametrize('name', ['models', 'lab/models'])
def test_a_page_of_the_models_is_current(name, made, monkeypatch):
    again = [row for row, _ in ROWS if row.options or row.name in SMALLEST]
    cells_of = {'models': 'model_cells', 'lab/models': 'printed_cells'}[name]
    counted = getattr(made, cells_of)

    def cells(row, family):
        found = counted(row, family)
        return found if row in again else [found[0], *[NOT_COUNTED] * 2, *found[3:]]

    sizes_of = made.sizes_of
    monkeypatch.setattr(made, 'sizes_of', lambda row: sizes_of(row) if row in again else NO_SIZES)
    monkeypatch.setattr(made, cells_of, cells)
    require_current(name, made)


def test_every_row_of_the_sheet_is_shown_with_its_sizes():
    shown = {}
    for name in ('lab/ablations', 'lab/printed'):
        for text in page(name).splitlines():
            if text.startswith('## '):
                paper = text.split()[1]
            elif text.startswith('### '):
                place = text[4:].partition(': ')[0]
            elif text.startswith('| '):
                shown.setdefault((paper, place), []).append(text.replace('\\', '').split(' | '))
    assert len(PRINTED.SHEET) == 608
    for row in PRINTED.SHEET:
        lines = [cells for cells in shown[row.paper, row.place] if cells[0] == f'| {row.row}']
        cells = [cell.partition(' (')[0] for cells in lines for cell in cells]
        for number in filter(None, (row.value, row.parameters, row.flops)):
            assert any(cell.rpartition('/ ')[2] == number for cell in cells), row


def test_where_our_count_is_not_the_printed_one_a_remark_says_why():
    differ = [
        text
        for name in ('lab/ablations', 'lab/printed')
        for text in page(name).splitlines()
        if re.search(r' / \+?[\d.]+ \([+-]', text)
    ]
    assert len(differ) > 10
    assert [text for text in differ if text.endswith('|  |')] == []


def test_a_row_of_the_sheet_that_is_no_number_is_one_message():
    row = PRINTED.SHEET[0]
    for column, text in (('value', '72,2'), ('parameters', '5.7 M'), ('flops', 'about 1')):
        wrong = dataclasses.replace(row, **{column: text})
        with pytest.raises(InputError, match=f"row 2: {column}: '{text}' is not a number"):
            wrong.refuse_words('sheet.csv, row 2')
    dataclasses.replace(row, place='Table 8, settings', value='AdamW').refuse_words('')


def test_the_index_for_openmmlabs_tools_is_current_and_reads_without_an_error(made):
    assert yaml.safe_load((ROOT / 'metafile.yml').read_text()) == made.metafile.metafile()
    index = load_index(str(ROOT))
    assert index.check(silent=True) == []
    models = {model.name: model for model in index.models}
    assert models.keys() == config_files().keys()
    assert all(Path(ROOT, model.config).is_file() for model in models.values())
    printed = {result.config for result in PRINTED.RESULTS} & models.keys()
    assert {name for name, model in models.items() if model.results} == printed | TRAINED
    masks = [result.data for result in models['mask_rcnn_pvt_s_coco'].results]
    assert [result['Task'] for result in masks] == ['Object Detection', 'Instance Segmentation']
    assert masks[1]['Metrics']['mask AP75 (printed)'] == 40.3
    assert models['detr_r50_coco'].weights == DETECTORS['detr_r50'].url
    assert models['cls_deit_s_imagenet'].data['In Collection'] == 'DeiT'


def test_every_model_and_result_is_on_the_page_with_its_source():
    assert {row.name for row, _ in ROWS} == set(list_models())
    lines = page('lab/models').splitlines()
    for result in PRINTED.RESULTS:
        names = (f'| `{result.config}`', f"| `'{result.model}'")
        assert result.config not in config_files() or any(
            line.startswith(names) and result.value in line and result.source in line
            for line in lines
        ), result


def test_what_is_known_beyond_top_1_agrees_with_the_results():
    """Of a config and a paper there is one top-1."""
    assert len({(each.config, each.source) for each in PRINTED.BEYOND}) == len(PRINTED.BEYOND)
    for each in PRINTED.BEYOND:
        known = [
            r.value for r in PRINTED.RESULTS if (r.config, r.source) == (each.config, each.source)
        ]
        assert known in ([], [each.top1]), each


def test_every_verb_has_a_section(made):
    lines = on_the_site(made, 'commands')
    assert [line[3:] for line in lines if line.startswith('## ')] == [*VERBS]
    assert any(line.startswith('| `--smoke` | ') for line in lines)


@pytest.mark.compat
def test_every_config_is_among_the_recipes_and_reads_as_its_header(made):
    lines = on_the_site(made, 'recipes')
    for name in config_files():
        found = sum(line.count(f'`{name}`') for line in lines)
        assert found == (not name.endswith('_shapes')), name
    (line,) = (line for line in lines if '`cls_tnt_s_imagenet`' in line)
    read = 'AdamW | 0.001 | 0.05 | 1024 | 5 | 310 | 0.1 |  | reported | 248 / 224 bicubic | 0.5 | 3'
    assert read in line


def test_the_notebook_says_what_its_page_says_and_was_run(made):
    pytest.importorskip('jupytext', reason='of the group docs')
    cells = json.loads(made.TUTORIAL.with_suffix('.ipynb').read_text())['cells']
    wanted = [cell.source for cell in made.notebook().cells]
    assert [''.join(cell['source']) for cell in cells] == wanted
    code = [cell for cell in cells if cell['cell_type'] == 'code']
    assert len(code) == len([*blocks(made.TUTORIAL)]) >= 8
    assert [cell['execution_count'] for cell in code] == [*range(1, len(code) + 1)]
    printed = [''.join(output['text']) for cell in code for output in cell['outputs']]
    assert len(printed) == len(code)
    assert not [text for text in printed if re.search(r'(^|\s)/(home|root|tmp|work)/', text)]
