"""Each suite measures its smallest case; what is compared takes turns in one run."""

import csv
import json
import subprocess
import sys
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
    growth,
    int8,
    parts,
    predict,
    scale,
    serve,
    sources,
    train,
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


@pytest.mark.compat
def test_compare_times_plain_forms_and_other_runtimes():
    pytest.importorskip('openvino')
    models = ['plain:deit_ti', 'ours:deit_ti', 'openvino:deit_ti']
    sizes = ['--size', '32', '--batch', '1', '--repeats', '1']
    command = [sys.executable, '-W', 'ignore', '-m', 'benchmarks.compare', *models, *sizes]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert [line.split()[-1] for line in done.stdout.splitlines()[1:]] == models


def test_a_form_in_8_bits_answers_nearly_alike():
    pytest.importorskip('nncf')
    forms = [f'{source}:deit_ti,arch.depth=1' for source in ('ours', 'openvino_int8')]
    case = Case('forward', 'eager', 'float32', (32, 32), 1)
    rows = list(compared(forms, case, options(features=False), sources.SOURCES))
    assert [row['form'] for row in rows] == forms


def test_parts_compares_a_host_with_itself_and_a_part():
    rows = list(parts.rows(options(models=['pvt_s'], size=[(64, 64)], batch=[1])))
    assert [row['form'] for row in rows] == ['ours:pvt_s', 'ours:aug_pvt_s']
    assert rows[0]['ratio'] == 1
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


def test_scale_fits_powers_along_every_axis(monkeypatch):
    monkeypatch.setattr(scale, 'HOSTS', {'deit_ti': ('depth', [1])})
    sizes = [(32, 32), (64, 96)]
    rows = list(scale.rows(options(step='train', size=sizes)))
    axes = {'tokens': 2, 'batch': 4, 'depth': 3, 'processes': 2}
    assert [row['axis'] for row in rows] == [axis for axis, n in axes.items() for _ in range(n)]
    assert [row['value'] for row in rows[:2]] == [4, 24]
    assert rows[6]['model'] == 'ours:deit_ti,arch.depth=1'
    exponent, off = scale.fit_power([1, 10, 100], [1, 1, 100])
    assert (exponent, off) == (pytest.approx(1), pytest.approx(10 ** (2 / 3) - 1))


def test_growth_measures_every_stage_of_every_set():
    found = list(growth.rows(options(pictures=[20, 40])))
    stages = ['read', 'references', 'boxes', 'masks', 'predictions.json', 'evaluation']
    assert [row['stage'] for row in found] == [stage for stage in stages for _ in range(2)]
    assert [row['pictures'] for row in found[:2]] == [20, 40]
    assert all(row['peak_MiB'] > 0 for row in found)


def test_train_has_every_form_of_every_comparison(monkeypatch):
    mmpretrain = 'mmpretrain:deit-tiny_4xb256_in1k'  # as in every comparison of the suite
    tiny = {'DeiT-Ti': ('timm:deit_tiny_patch16_224', mmpretrain, 'ours:deit_ti')}
    monkeypatch.setattr(train, 'CLASSIFIERS', tiny)
    monkeypatch.setattr(train, 'IMAGES', dict.fromkeys(train.IMAGES, ((64, 64), 2)))
    rows = list(train.rows(options(compile=False)))
    assert [row['form'] for row in rows] == [
        *tiny['DeiT-Ti'], 'mmdet:detr', 'ours:detr', *train.SETR, *train.OPTIMIZERS,
    ]  # fmt: skip
    assert rows[0]['ratio'] == rows[3]['ratio'] == rows[5]['ratio'] == 1


def test_both_transformers_of_detr_answer_alike_and_take_turns(monkeypatch):
    monkeypatch.setitem(detr.GRIDS, 6, (2, 3))
    theirs, ours = (
        detr.transformer_step(model, (2, 3), 1, 'eval')() for model in detr.build_pair(CPU).values()
    )
    torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-4)
    rows = list(detr.rows(options(tokens=[6], batch=[1])))
    assert [row['form'] for row in rows] == 2 * ['mmdet', 'ours']


def test_serve_compares_the_answers_of_a_server_under_load(tmp_path, monkeypatch):
    pytest.importorskip('fastapi')
    pytest.importorskip('onnxruntime')
    from tests.serving.servers import detector

    detector(tmp_path / 'model.onnx')
    given = {'model': str(tmp_path / 'model.onnx'), 'clients': [2], 'seconds': 1.0, 'images': 1}
    (row,) = serve.rows(options(**given))
    assert row['clients'] == 2
    assert row['answers'] > 0
    assert row['wrong'] == row['refused'] == row['failed'] == 0
    monkeypatch.setattr(serve, 'is_right', lambda found, wanted: False)
    (row,) = serve.rows(options(**given))
    assert row['wrong'] >= row['answers'] > 0


def test_an_answer_is_right_with_the_same_sure_objects():
    wanted = serve.as_rows([{'category_id': 1, 'score': 0.9, 'bbox': [1, 2, 3, 4]}])
    for change, right in ((0.001, True), (0.01, False)):
        assert serve.is_right(wanted + [0, change, 0, 0, 0, 0], wanted) == right
    assert not serve.is_right(wanted + [1, 0, 0, 0, 0, 0], wanted)
    assert not serve.is_right(wanted[:0], wanted)


def test_predict_answers_with_every_form(monkeypatch):
    monkeypatch.setattr('vitbackbones.inference.configured.find_spec', lambda name: None)
    monkeypatch.setattr(predict, 'SIZES', ((64, 48),))
    model = 'setr_mla_msf_vit_ti_shapes'
    rows = list(predict.rows(options(models=[model], images=1)))
    forms = ['MMSegInferencer', 'torch', 'torch floor', 'auto', 'auto floor']
    assert [(row['size'], row['form']) for row in rows] == [('64x48', form) for form in forms]
    assert rows[0]['ratio'] == 1
    with pytest.raises(InputError, match='deit_s: not in the suite; it has detr_aug'):
        list(predict.rows(options(models=['deit_s'], images=1)))


def test_int8_compares_the_files_of_a_pair(tmp_path):
    from ..runtime.graphs import write_classifier  # where onnx is installed

    proof = {'metric': 'mIoU', 'pictures': 9, 'float32': 0.91004, 'int8': 0.9}
    files = [tmp_path / 'float.onnx', tmp_path / 'int8.onnx']
    write_classifier(files[0], size=(256, 256))
    write_classifier(files[1], size=(256, 256), int8=proof)
    (row,) = int8.rows(options(files=files))
    expected = proof | {'model': 'tiny', 'float32': 0.91}
    assert {key: row[key] for key in expected} == expected


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
