"""Each suite measures its smallest case; what is compared takes turns in one run."""

import csv
import json
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from benchmarks import (
    cpu,
    data,
    detr,
    gpu,
    parts,
    predict,
    scale,
    serve,
    sources,
)
from benchmarks.comparing import Case, compared
from benchmarks.model_sources import SOURCES, build_model
from vitbackbones.backbones.names import list_models
from vitbackbones.errors import InputError
from vitbackbones.weights.trained import trained_weights

from .toy import build

ROOT = Path(__file__).parents[2]
CPU = torch.device('cpu')


def options(**given):
    kinds = {'step': ['forward'], 'engine': ['eager'], 'precision': ['float32']}
    once = {'device': CPU, 'repeats': 1, 'warm_up': 0, 'size': None, 'batch': None, 'models': []}
    once['forms'] = None
    return Namespace(**{**kinds, **once, 'features': True, **given})


def test_a_form_in_8_bits_answers_nearly_alike():
    pytest.importorskip('nncf')
    forms = [f'{source}:deit_ti,arch.depth=1' for source in ('ours', 'openvino_int8')]
    case = Case('forward', 'eager', 'float32', (32, 32), 1)
    rows = list(compared(forms, case, options(features=False), sources.SOURCES))
    assert [row['form'] for row in rows] == forms


def test_parts_has_models_that_can_be_built():
    with pytest.raises(InputError, match='aug_pvt_s: not a host of the suite; it has deit_s'):
        list(parts.rows(options(models=['aug_pvt_s'])))
    with torch.device('meta'):
        for host, others in parts.GROUPS.items():
            for name in (host, *others):
                build_model(f'ours:{name}', (224, 224), SOURCES)


def test_cpu_has_all_forms_of_a_model(monkeypatch):
    monkeypatch.setattr(cpu, 'computes_bfloat16', lambda: True)
    forms = ['ours', *cpu.FORMS, 'openvino_int8', *cpu.IN_BFLOAT16, 'timm']
    of_config = ['config', *(f'config_{form}' for form in cpu.FORMS)]
    monkeypatch.setattr(cpu, 'SOURCES', dict.fromkeys((*forms, *of_config), build))
    names = ['tnt_s', 'detr_aug_vit_s_shapes']
    found = list(cpu.rows(options(models=names, size=[(4, 4)], batch=[1])))
    assert [row['source'] for row in found] == forms + of_config
    assert found[0]['ratio'] == found[len(forms)]['ratio'] == 1
    assert {*cpu.MODELS} <= {*list_models()}
    assert {*cpu.CONFIGS} <= {*trained_weights()}
    with pytest.raises(InputError, match='deit_ti: not in the suite; it has deit_s'):
        list(cpu.rows(options(models=['deit_ti'])))


def test_data_times_every_part_of_a_recipe_and_of_the_toolboxs(tmp_path, monkeypatch):
    monkeypatch.setattr(data, 'TASKS', {'ImageNet': data.TASKS['ImageNet']})
    monkeypatch.setattr(torch, 'set_num_threads', lambda number: None)
    with pytest.raises(InputError, match='no picture below it'):
        list(data.rows(options(data_root=str(tmp_path), images=2)))
    for name in 'ab':
        pixels = np.random.default_rng(0).integers(0, 255, (40, 50, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(tmp_path / f'{name}.png')
    rows = list(data.rows(options(data_root=str(tmp_path), images=2)))
    parts_of = {form: [] for form in ('ours', 'mmpretrain')}
    for row in rows:
        parts_of[row['form']].append(row)
    for found in parts_of.values():
        *spent, whole, on_device = found
        assert (whole['part'], on_device['part']) == ('whole', 'on the device')
        assert whole['ms'] == pytest.approx(sum(row['ms'] for row in spent), abs=0.01)


def test_scale_fits_powers():
    exponent, off = scale.fit_power([1, 10, 100], [1, 1, 100])
    assert (exponent, off) == (pytest.approx(1), pytest.approx(10 ** (2 / 3) - 1))


def test_both_transformers_of_detr_answer_alike():
    theirs, ours = (
        detr.transformer_step(model, (2, 3), 1, 'eval')() for model in detr.build_pair(CPU).values()
    )
    torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-4)


def test_serve_counts_wrong_answers(tmp_path, monkeypatch):
    pytest.importorskip('fastapi')
    pytest.importorskip('onnxruntime')
    from tests.serving.servers import detector

    detector(tmp_path / 'model.onnx')
    given = {'model': str(tmp_path / 'model.onnx'), 'clients': [2], 'seconds': 1.0, 'images': 1}
    monkeypatch.setattr(serve, 'is_right', lambda found, wanted: False)
    (row,) = serve.rows(options(**given))
    assert row['wrong'] >= row['answers'] > 0


def test_an_answer_is_right_with_the_same_sure_objects():
    wanted = serve.as_rows([{'category_id': 1, 'score': 0.9, 'bbox': [1, 2, 3, 4]}])
    for change, right in ((0.001, True), (0.01, False)):
        assert serve.is_right(wanted + [0, change, 0, 0, 0, 0], wanted) == right
    assert not serve.is_right(wanted + [1, 0, 0, 0, 0, 0], wanted)
    assert not serve.is_right(wanted[:0], wanted)


def test_predict_names_its_models():
    with pytest.raises(InputError, match='deit_s: not in the suite; it has detr_aug'):
        list(predict.rows(options(models=['deit_s'], images=1)))


def test_gpu_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    small = 'deit_ti,arch.depth=1'
    monkeypatch.setattr(gpu, 'LOGITS', f'\nours:{small} timm:unknown fused:{small}\n')
    monkeypatch.setattr(gpu, 'MAPS', f'\nours:{small}\n')
    monkeypatch.setattr(gpu, 'FORMS', {})
    monkeypatch.setattr(gpu, 'SQUARE', (32, 32))
    given = options(out=str(tmp_path))
    rows = gpu.rows(given)
    first = next(rows)
    rows.close()  # as if it were killed
    again = list(gpu.rows(given))
    assert first in again
    assert {row['table'] for row in again} == {'kernels', 'models', 'goals'}
    forms = [row['form'] for row in again if row['table'] == 'models' and row['step'] == 'forward']
    assert forms == ['timm:unknown', f'ours:{small}', f'fused:{small}', f'ours:{small}']
    assert {row['table'] for row in gpu.rows(given)} == {'goals'}
    with open(tmp_path / 'kernels.csv') as file:
        measured = [row for row in csv.DictReader(file) if not row['error']]
    assert all(int(row['kernels']) > 10 for row in measured)
    assert {row['attention'] for row in measured} == {'1 flash_attention_for_cpu'}
    kept = json.loads((tmp_path / 'rows.json').read_text())
    (tmp_path / 'rows.json').write_text(json.dumps({**kept, 'device': 'another'}))
    with pytest.raises(InputError, match='was measured on another device or torch'):
        list(gpu.rows(given))


def test_gpu_has_the_models_that_it_names():
    for spec in (*gpu.LOGITS.split(), *gpu.MAPS.split()):
        source, _, name = spec.partition(':')
        assert source not in ('ours', 'plain', 'fused') or name in list_models()
