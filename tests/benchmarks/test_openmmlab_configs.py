"""Each config of a toolbox is a row, and the page has the tables of what is measured."""

from pathlib import Path

import pytest

from benchmarks import openmmlab_configs as measured
from benchmarks.openmmlab_configs import MARK, examine, folder, page, rows, write_summary
from benchmarks.openmmlab_forward import META
from vitbackbones.errors import InputError

pytestmark = pytest.mark.compat
DOCS = Path(__file__).parents[2] / 'docs' / 'lab'
ROWS = [
    {'toolbox': 'mmdet', 'config': 'a/1.py', 'result': 'built', 'reason': '', 'ran': META},
    {
        'toolbox': 'mmdet',
        'config': 'a/2.py',
        'result': 'not built',
        'reason': 'no a | b',
        'ran': '',
    },
    {
        'toolbox': 'mmdet',
        'config': 'a/3.py',
        'result': 'not built',
        'reason': 'no a | b',
        'ran': '',
    },
    {'toolbox': 'mmdet', 'config': 'b/1.py', 'result': 'no model', 'reason': '', 'ran': ''},
    {
        'toolbox': 'mmseg',
        'config': 'b/1.py',
        'result': 'built, with findings',
        'reason': 'x',
        'ran': 'no y',
    },
]


def test_a_config_that_is_built_has_its_parameters():
    row = examine('mmdet', folder('mmdet') / 'retinanet' / 'retinanet_r50_fpn_1x_coco.py')
    assert row['config'] == 'retinanet/retinanet_r50_fpn_1x_coco.py'
    assert row['result'] == 'built'
    assert int(row['parameters']) == 37_968_692


def test_what_is_not_built_says_why_without_paths_of_the_machine(tmp_path, monkeypatch):
    monkeypatch.setattr(measured, 'folder', lambda toolbox: tmp_path)
    file = tmp_path / 'x.py'
    file.write_text("model = dict(type='Nothing')")
    row = examine('mmdet', file)
    assert row['result'] == 'not built'
    assert 'Nothing' in row['reason']
    assert '\n' not in row['reason']
    file.write_text('_base_ = "nowhere.py"')
    assert examine('mmdet', file)['result'] == 'not read'
    file.write_text('lr = 1')
    assert examine('mmdet', file)['result'] == 'no model'


def test_a_row_that_is_there_is_not_measured_again(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(
        measured, 'examine', lambda toolbox, file: asked.append(file) or dict(ROWS[0])
    )
    out = tmp_path / 'rows.csv'
    monkeypatch.setattr(measured, 'folder', lambda toolbox: tmp_path)
    monkeypatch.setattr(measured, 'configs', lambda toolbox: [tmp_path / 'a' / '1.py'])
    measured.measure(out, ['mmdet'], None)
    measured.measure(out, ['mmdet'], None)
    assert len(asked) == len(rows(out)) == 1


def test_models_are_run_once_in_an_order_that_stays(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(measured, 'ran', lambda row: asked.append(row['config']) or META)
    out = tmp_path / 'rows.csv'
    built = {'toolbox': 'mmdet', 'result': 'built', 'parameters': '1', 'reason': '', 'ran': ''}
    measured.write(out, [built | {'config': f'{number}.py'} for number in range(9)])
    measured.run_models(out, 3)
    measured.run_models(out, 5)
    assert len({*asked}) == len(asked) == 5
    assert sum(row['ran'] == META for row in rows(out)) == 5


def test_the_page_counts_and_names_reasons(tmp_path):
    lines = [*page(ROWS)]
    assert '| mmdet | 3 | 1 (33.3 %) | 1 | 2 | 1 | 1 |' in lines
    assert '| mmseg | 1 | 1 (100.0 %) | 0 | 0 | 1 | 0 |' in lines
    assert '| mmdet | a | 2 | no a / b |' in lines
    assert '| mmseg | b | 1 | no y |' in lines
    assert '| mmdet | a | 3 | 1 | 1 | 1 |' in lines
    target = tmp_path / 'page.md'
    target.write_text('text')
    with pytest.raises(InputError, match='has no line'):
        write_summary(target, lines)


def test_the_page_of_the_docs_is_of_its_rows():
    text = (DOCS / 'openmmlab_configs.md').read_text()
    assert text.partition(MARK)[2].strip() == '\n'.join(page(rows(DOCS / 'openmmlab_configs.csv')))
