"""The benchmark: what its table holds, and that a wrong model is one message."""

import csv

import pytest
import torch

from vitbackbones.results.benchmark.comparing import Case, make_step
from vitbackbones.results.benchmark.model_sources import SOURCES, build_model

from .test_messages import refused

QUICK = ('--size', '32', '--batch', '1', '2', '--repeats', '1', '--warm-up', '1')


def test_every_case_and_model_is_a_row(run, tmp_path):
    models = ['timm:deit_tiny_patch16_224', 'ours:sret_t', 'fused:sret_t']
    run('benchmark', *models, *QUICK, '--out', 'times.csv')
    with open(tmp_path / 'times.csv') as file:
        rows = list(csv.DictReader(file))
    assert [row['form'] for row in rows] == 2 * models
    for row in rows:
        milliseconds, batch = float(row['median_ms']), int(row['batch'])
        first = next(r for r in rows if r['batch'] == row['batch'])
        assert float(row['ratio']) == pytest.approx(milliseconds / float(first['median_ms']), 0.05)
        assert float(row['images_per_s']) == pytest.approx(1e3 * batch / milliseconds, rel=0.05)
        assert row['size'] == '32x32'


def test_training_and_maps_in_half_precision(run):
    options = ['--step', 'train', 'forward', '--features', '--precision', 'bfloat16']
    result = run('benchmark', 'ours:sret_t', *QUICK, *options)
    assert [line.split()[:3] for line in result.out.splitlines()[1::2]] == [
        ['train', 'eager', 'bfloat16'],
        ['forward', 'eager', 'bfloat16'],
    ]


def test_a_model_fused_for_bfloat16_is_timed_in_it():
    model = build_model('fused_bf16:deit_ti', (32, 32), SOURCES)
    case = Case('forward', 'eager', 'float32', (32, 32), 1)
    assert make_step(model, case, torch.device('cpu'))().dtype == torch.float32
    assert model.head.fc.weight.dtype == torch.bfloat16


@pytest.mark.parametrize(
    ('arguments', 'texts'),
    [
        (['ours:deit_ti,arch.dept=24'], ['ours:deit_ti,arch.dept=24: arch has no dept; known: ba']),
        (['deit_s'], ["'deit_s' names no model", 'ours:NAME', 'timm:NAME']),
        (['fused:sret_t', '--step', 'train'], ['this form cannot be trained']),
        (['ours:deit_ti', 'ours:deit_ti'], ['a model is named twice']),
        (['ours:sret_t', '--out', f'{__file__}/a.csv'], ['--out', 'cannot be written to (']),
        (['plain:deit_ti'], ['root of a clone, by python -m benchmarks.compare']),
        (['timm:pit_ti_224', '--size', '40'], ['timm:pit_ti_224 cannot run this case', '40x40']),
    ],
)
def test_what_cannot_be_measured_is_one_message(tool, arguments, texts):
    refused(tool('benchmark', *arguments, '--batch', '1'), *texts)
