"""Models side by side: what the table holds, and that a wrong model is one message."""

import csv

import pytest
import torch

from benchmarks.compare import rows
from benchmarks.comparing import Case, make_step, report
from benchmarks.model_sources import SOURCES, build_model
from vitbackbones.errors import InputError

from .test_suites import options


def quick(*models, **given):
    once = {'models': models, 'size': [(32, 32)], 'batch': [1], 'features': False}
    return options(**{**once, **given})


def test_every_case_and_model_is_a_row(tmp_path):
    models = ['timm:deit_tiny_patch16_224', 'ours:sret_t', 'fused:sret_t']
    report(rows(quick(*models, batch=[1, 2])), str(tmp_path / 'times.csv'))
    with open(tmp_path / 'times.csv') as file:
        found = list(csv.DictReader(file))
    assert [row['form'] for row in found] == 2 * models
    for row in found:
        milliseconds, batch = float(row['median_ms']), int(row['batch'])
        first = next(r for r in found if r['batch'] == row['batch'])
        assert float(row['ratio']) == pytest.approx(milliseconds / float(first['median_ms']), 0.05)
        assert float(row['images_per_s']) == pytest.approx(1e3 * batch / milliseconds, rel=0.05)
        assert row['size'] == '32x32'


def test_training_and_maps_in_half_precision():
    given = {'step': ['train', 'forward'], 'features': True, 'precision': ['bfloat16']}
    found = rows(quick('ours:sret_t', **given))
    assert [(row['step'], row['precision']) for row in found] == [
        ('train', 'bfloat16'),
        ('forward', 'bfloat16'),
    ]


def test_a_model_fused_for_bfloat16_is_timed_in_it():
    model = build_model('fused_bf16:deit_ti', (32, 32), SOURCES)
    case = Case('forward', 'eager', 'float32', (32, 32), 1)
    assert make_step(model, case, torch.device('cpu'))().dtype == torch.float32
    assert model.head.fc.weight.dtype == torch.bfloat16


@pytest.mark.parametrize(
    ('models', 'given', 'text'),
    [
        (['ours:deit_ti,arch.dept=24'], {}, 'ours:deit_ti,arch.dept=24: arch has no dept; known:'),
        (['ours:deit_tu'], {}, "unknown model 'deit_tu'; did you mean 'deit_ti'"),
        (['deit_s'], {}, "'deit_s' names no model.*ours:NAME.*timm:NAME"),
        (['fused:sret_t'], {'step': ['train']}, 'this form cannot be trained'),
        (['ours:deit_ti', 'ours:deit_ti'], {}, 'a model is named twice'),
        (['timm:pit_ti_224'], {'size': [(40, 40)]}, 'pit_ti_224 cannot run this case.*40x40'),
    ],
)
def test_what_cannot_be_measured_is_one_message(models, given, text):
    with pytest.raises(InputError, match=text):
        list(rows(quick(*models, **given)))
