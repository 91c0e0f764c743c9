"""The suite of inference on a CPU: what is compared with what, and its table."""

from argparse import Namespace

import pytest
import torch

from vitbackbones.benchmarking.model_sources import SOURCES, build_model
from vitbackbones.benchmarking.suites import cpu, pages
from vitbackbones.errors import InputError
from vitbackbones.models import list_models

from .toy import build

FORMS = ['ours', *cpu.AIMS, 'onnxruntime', 'openvino']


@pytest.fixture(autouse=True)
def with_bfloat16(monkeypatch):
    monkeypatch.setattr(cpu, 'computes_bfloat16', lambda: True)


def measure(*models, engine='eager'):
    sources = dict.fromkeys([*FORMS, 'timm'], build)
    kinds = {'step': ['forward'], 'engine': [engine], 'precision': ['float32']}
    numbers = {'size': [(4, 4)], 'batch': [2, 1], 'repeats': 1, 'warm_up': 0}
    options = {'features': False, 'device': torch.device('cpu'), 'models': models}
    return list(cpu.rows(Namespace(**kinds, **numbers, **options), sources))


def test_a_group_has_all_forms_and_rivals_of_a_model():
    rows = measure('sret_t', 'deit_s')
    groups = [[f'{form}:{name}' for form in FORMS] for name in ('sret_t', 'deit_s')]
    groups[1].append('timm:deit_small_patch16_224')
    assert [row['form'] for row in rows] == 2 * [*groups[0], *groups[1]]
    assert [row['batch'] for row in rows[:: len(rows) // 2]] == [2, 1]
    assert all(row['ratio'] == 1 for row in rows if row['form'].startswith('ours:'))


def test_bfloat16_that_is_emulated_is_left_out(monkeypatch):
    monkeypatch.setattr(cpu, 'computes_bfloat16', lambda: False)
    forms = {row['form'].partition(':')[0] for row in measure('sret_t')}
    assert {*FORMS} - forms == {'fused_bf16', 'compiled_bf16'}


def test_what_was_aimed_at_is_met_or_missed():
    rows = {row['form'].partition(':')[0]: row for row in measure('tnt_s')[:9]}
    for form in ('fused', 'compiled', 'fused_bf16', 'compiled_bf16'):
        assert rows[form]['reached'] == rows[form]['ratio']
    for rival in ('onnxruntime', 'openvino', 'timm'):
        faster = min(rows[form]['ratio'] for form in ('fused', 'compiled'))
        assert rows[rival]['reached'] == pytest.approx(faster / rows[rival]['ratio'], abs=1e-3)
    aims = dict.fromkeys(('fused', 'compiled'), 0.75)
    aims |= dict.fromkeys(('fused_bf16', 'compiled_bf16'), 0.45)
    aims |= {'onnxruntime': 1.1, 'openvino': 1.1, 'timm': 0.55}
    assert {form: row['aim'] for form, row in rows.items() if row['verdict']} == aims
    for form, aim in aims.items():
        assert rows[form]['verdict'] == ('met' if rows[form]['reached'] <= aim else 'missed')


def test_compiled_are_only_models_of_torch(monkeypatch):
    monkeypatch.setattr(torch, 'compile', lambda model, **options: model)
    assert {row['form'] for row in measure('sret_t', engine='eager')} >= {'openvino:sret_t'}
    assert not any('openvino' in row['form'] for row in measure('sret_t', engine='compiled'))


def test_a_model_that_it_lacks_is_refused():
    with pytest.raises(InputError, match='vgg: not in the suite; it has deit_s'):
        measure('vgg')


def test_its_models_can_be_built():
    assert {*cpu.MODELS} <= {*list_models()}
    with torch.device('meta'):
        for rival, _ in cpu.PACKAGES.values():
            build_model(rival, (224, 224), SOURCES)


def test_the_table_has_a_line_for_each_model_and_batch_and_marks_what_is_missed():
    rows = [{key: str(value) for key, value in row.items()} for row in measure('deit_s')]
    for row in rows:
        row.update(reached='0.5', verdict='missed' if row['form'].startswith('openvino') else 'met')
    lines = list(pages.by_model(rows))
    assert lines[0].startswith('| model | batch | eager, ms | folded | fused | compiled | fused_bf')
    cells = '0.5 | 0.5 | 0.5 | 0.5 | 0.5 | 0.5 | **0.5** | 0.5 |\n'
    assert lines[2] == f'| `deit_s` | 2 | {float(rows[0]["median_ms"]):.1f} | {cells}'
    assert lines[3] == f'| `deit_s` | 1 | {float(rows[9]["median_ms"]):.1f} | {cells}'


def test_a_suite_without_a_table_of_its_own_shows_its_rows():
    lines = pages.as_measured([{'a': '1', 'b': '2'}, {'a': '3', 'b': '4'}])
    assert ''.join(lines) == '| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n'
