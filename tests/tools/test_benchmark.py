"""The benchmark: what its table holds, and that a wrong model is one message."""

import csv
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from PIL import Image

from vitbackbones.benchmarking import detr
from vitbackbones.benchmarking.loading import Pipeline
from vitbackbones.benchmarking.model_sources import SOURCES, build_model
from vitbackbones.benchmarking.steps import Case, make_step
from vitbackbones.benchmarking.suites import data, gpu_jobs, parts

from .conftest import ROOT, load_tool
from .test_messages import refused

QUICK = ('--size', '32', '--batch', '1', '2', '--repeats', '1', '--warm-up', '1')


def test_every_case_and_model_is_a_row(tool, tmp_path):
    models = ['plain:sret_t', 'ours:sret_t', 'fused:sret_t']
    result = tool('benchmark', *models, *QUICK, '--out', 'times.csv')
    assert result.status == 0, result.err
    assert len(result.out.splitlines()) == 1 + 2 * len(models)
    with open(tmp_path / 'times.csv') as file:
        rows = list(csv.DictReader(file))
    assert [row['form'] for row in rows] == 2 * models
    for row in rows:
        milliseconds, batch = float(row['median_ms']), int(row['batch'])
        first = next(r for r in rows if r['batch'] == row['batch'])
        assert float(row['ratio']) == pytest.approx(milliseconds / float(first['median_ms']), 0.05)
        assert float(row['images_per_s']) == pytest.approx(1e3 * batch / milliseconds, rel=0.05)
        assert row['size'] == '32x32'


def test_a_suite_compares_each_group_with_its_first_and_becomes_a_table(
    tool, tmp_path, monkeypatch
):
    groups = (('ours:sret_t,passes=1', 'ours:sret_t'), ('ours:deit_ti', 'ours:aug_vit_ti'))
    monkeypatch.setattr(parts, 'GROUPS', groups)
    monkeypatch.setattr(parts, 'BATCHES', {(32, 32): (2,), (48, 32): (1,)})
    result = tool('benchmark', '--suite', 'parts', '--repeats', 1, '--out', 'parts.csv')
    assert result.status == 0, result.err
    with open(tmp_path / 'parts.csv') as file:
        rows = list(csv.DictReader(file))
    assert [row['form'] for row in rows] == [*groups[0], *groups[1]] * 2
    assert [(row['size'], row['batch']) for row in rows[::4]] == [('32x32', '2'), ('48x32', '1')]
    assert all(row['ratio'] == '1.0' for row in rows[::2])

    page = load_tool('suite_table')
    text = page.with_table(page.TARGET.read_text(), 'parts', rows)
    lines = text.split('<!-- suite parts -->\n')[1].split(page.END)[0].splitlines()
    assert lines[0] == '|  | forward, 32x32, batch 2 | forward, 48x32, batch 1 |'
    assert lines[2].startswith(f'| `sret_t,passes=1` | {float(rows[0]["median_ms"]):.1f} ms | ')
    assert lines[5] == f'| + `aug_vit_ti` | {rows[3]["ratio"]} | {rows[7]["ratio"]} |'
    assert page.with_table(text, 'parts', rows) == text
    alone = page.with_table(text, 'parts', [*rows[2:4], *rows[6:8]])  # of one host
    assert lines[4:6] == alone.split('<!-- suite parts -->\n')[1].splitlines()[2:4]


def test_the_suite_for_gpus_writes_a_folder(tool, tmp_path, monkeypatch):
    monkeypatch.setattr(gpu_jobs.Jobs, 'planned', lambda self: [])
    refused(tool('benchmark', '--suite', 'gpu', '--device', 'cpu'), '--out FOLDER')
    result = tool('benchmark', '--suite', 'gpu', '--device', 'cpu', '--out', 'out')
    assert result.status == 0, result.err
    assert 'ours:tnt_s / timm:tnt_s_patch16_224' in result.out
    assert '## Goals' in (tmp_path / 'out/summary.md').read_text()


def test_training_and_maps_in_half_precision(tool):
    options = ['--step', 'train', 'forward', '--features', '--precision', 'bfloat16']
    result = tool('benchmark', 'ours:sret_t', *QUICK, *options)
    assert result.status == 0, result.err
    assert [line.split()[:3] for line in result.out.splitlines()[1::2]] == [
        ['train', 'eager', 'bfloat16'],
        ['forward', 'eager', 'bfloat16'],
    ]


def test_a_model_fused_for_bfloat16_is_timed_in_it():
    model = build_model('fused_bf16:deit_ti', (32, 32), SOURCES)
    case = Case('forward', 'eager', 'float32', (32, 32), 1)
    assert make_step(model, case, torch.device('cpu'))().dtype == torch.float32
    assert model.head.fc.weight.dtype == torch.bfloat16


def test_arguments_of_a_backbone_follow_its_name():
    sizes = {
        word: sum(p.numel() for p in build_model(word, (64, 64), SOURCES).parameters())
        for word in (
            'ours:deit_ti',
            'ours:deit_ti,arch.depth=24',
            'ours:deit_ti,arch=s,drop_rate=0.1',
            'ours:deit_s',
            'ours:msf_vit_ti',
            'ours:msf_vit_ti,attention.sharing=QKKKW,groups=1',
        )
    }
    plain, deeper, named, small, full, shared = sizes.values()
    assert deeper - plain == 12 * 444_864
    assert named == small
    assert full - shared == 12 * 2 * 192**2  # two matrices less in every block


def test_a_model_can_be_made_for_another_size_than_that_of_the_images():
    model = build_model('ours:deit_ti,img_size=32', (64, 64), SOURCES)
    assert model.backbone.grid == (2, 2)


@pytest.mark.parametrize(
    ('arguments', 'texts'),
    [
        (['ours:deit_ti,arch.dept=24'], ['ours:deit_ti,arch.dept=24: arch has no dept; known: ba']),
        (['ours:deit_ti,archh=s'], ["has no option 'archh'"]),
        (['ours:deit_ti,arch=[1'], ['ours:deit_ti,arch=[1: [1: cannot be read as a value']),
        ([], ['name models or a --suite']),
        (['--suite', 'scale', 'ours:deit_s'], ['--suite scale takes no MODEL']),
        (['--suite', 'gpu', '--out', 'a'], ['--suite gpu takes no --batch']),
        (['--suite', 'train', '--precision', 'bfloat16'], ['--suite train takes no --precision']),
        (['--suite', 'startup'], ['--suite startup takes no --batch']),
        (['deit_s', '--data-root', 'a'], ['a comparison of models takes no --data-root']),
        (['--suite', 'cpu', 'vgg'], ['vgg: not in the suite; it has deit_s, ']),
        (['ours:deit_s', '--warm-up', '-1'], ['--warm-up -1: at least 0']),
        (['deit_s'], ["'deit_s' names no model", 'ours:NAME', 'timm:NAME', 'plain:NAME']),
        (['mmdet:pvt-s_fpn'], ['unknown model mmdet:', "mean 'retinanet_pvt-s_fpn_1x_coco'?"]),
        (['ours:deit_small'], ['unknown model ours:deit_small; did you mean', 'deit_s']),
        (['mmdet:retinanet_pvt_s'], ['unknown model mmdet:', 'retinanet_pvt-s_fpn_1x_coco']),
        (['mmdet:retinanet_pvt-s_fpn_1x_coco'], ['feature maps only', '--features']),
        (['fused:sret_t', '--step', 'train'], ['this form cannot be trained']),
        (['openvino:sret_t', '--precision', 'bfloat16'], ['on a CPU in float32 only']),
        (['plain:deit_ti', '--size', '40'], ['plain:deit_ti cannot run this case', '40x40']),
    ],
)
def test_what_cannot_be_measured_is_one_message(tool, arguments, texts):
    refused(tool('benchmark', *arguments, '--batch', '1'), *texts)


def test_mmdets_transformer_against_ours(tool, tmp_path, monkeypatch):
    monkeypatch.setitem(detr.GRIDS, 6, (2, 3))
    options = ['--tokens', 6, '--batch', 1, '--repeats', 1, '--out', 'a/detr.csv']
    result = tool('benchmark_detr', *options)
    assert result.status == 0, result.err
    with open(tmp_path / 'a/detr.csv') as file:
        rows = [(row['mode'], row['form']) for row in csv.DictReader(file)]
    assert rows == [(mode, kind) for mode in ('eval', 'train') for kind in detr.KINDS]


def test_both_transformers_answer_alike():
    pair = detr.build_pair(ROOT / 'configs/_base_/models/detr.py', torch.device('cpu'), True)
    theirs, ours = (detr.make_step(model, (2, 3), 1, train=False)() for model in pair.values())
    torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-4)


def test_a_table_that_cannot_be_written_is_told_before_measuring(tool, tmp_path):
    (tmp_path / 'file').touch()
    said = ('--out', 'cannot be written to (')
    refused(tool('benchmark', 'ours:sret_t', *QUICK, '--out', 'file/a.csv'), *said)


def test_plain_forms_outside_a_clone(tool, monkeypatch):
    monkeypatch.setitem(sys.modules, 'tests.reference.models', None)
    refused(tool('benchmark', 'plain:sret_t'), 'plain forms are part of a clone')


def test_plain_forms_beside_the_tests_of_another_package(tmp_path):
    (tmp_path / 'tests').mkdir()
    (tmp_path / 'tests/__init__.py').touch()
    command = [sys.executable, ROOT / 'tools/benchmark.py', 'plain:sret_t', *QUICK]
    environment = {**os.environ, 'PYTHONPATH': str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert 'plain:sret_t' in done.stdout


def test_loading_is_measured_on_the_pictures_that_are_named(tool, tmp_path, monkeypatch):
    refused(tool('benchmark', '--suite', 'data'), 'name a folder with pictures by --data-root')
    refused(tool('benchmark', '--suite', 'data', '--data-root', tmp_path), 'no picture below it')
    tasks = {
        'one': data.Task({'a': toy_pipeline, 'b': toy_pipeline}, images_per_s=1000),
        'two': data.Task({'a': toy_pipeline}, images_per_s=None),
    }
    monkeypatch.setattr(data, 'TASKS', tasks)
    for i in range(5):
        Image.new('RGB', (40, 30)).save(tmp_path / f'{i}.png')
    options = ['--data-root', tmp_path, '--batch', 2, '--repeats', 1, '--out', 'data.csv']
    result = tool('benchmark', '--suite', 'data', *options)
    assert result.status == 0, result.err
    with open(tmp_path / 'data.csv') as file:
        rows = list(csv.DictReader(file))
    forms = [(row['task'], row['form']) for row in rows[::3]]
    assert forms == [('one', 'a'), ('one', 'b'), ('two', 'a')]
    assert [row['part'] for row in rows[:3]] == ['load', 'collate', 'whole']
    first, whole, last = rows[2], rows[5], rows[8]
    assert first['ratio'] == '1.0'
    assert float(whole['ratio']) == pytest.approx(float(whole['ms']) / float(first['ms']), rel=0.05)
    assert float(whole['images_per_s']) == pytest.approx(1e3 / float(whole['ms']), rel=0.05)
    assert float(whole['cores']) == pytest.approx(
        float(whole['ms']), rel=0.1
    )  # 1000 images a second
    assert last['cores'] == rows[0]['cores'] == ''


def toy_pipeline():
    seen = []

    def load(sample):
        seen.append(sample['img_path'])
        time.sleep(0.002)

    def collate(batch):
        assert [Path(path).name for path in seen[-2:]] == ['0.png', '3.png']  # spread over all

    return Pipeline({'load': load}, collate, None)
