"""``test --report`` as a user calls it."""

import json
import re
import shutil

import pytest

from vitbackbones.data import shapes
from vitbackbones.errors import InputError
from vitbackbones.runtime import card
from vitbackbones.weights.trained import trained_weights

from .conftest import TINY
from .test_messages import refused

pytestmark = pytest.mark.compat


def test_a_page_about_boxes(run, tool, data, tmp_path):
    options = ['--cfg-options', 'train_cfg.max_epochs=1', 'train_cfg.val_interval=9']
    run('train', TINY, '--scratch', '--data-root', data, *options)
    command = ('test', TINY, 'work_dirs/tiny_detr', '--data-root', data, '--report', 'results')
    result = run(*command, '--score-threshold', '0', '--num-pictures', '1')
    assert 'report: results/report.html' in result.out
    page = (tmp_path / 'results' / 'report.html').read_text()
    for name, value in re.findall(r'^(coco/\S+) +(\S+)$', result.out, re.M):
        assert f'>{name}</th><td>{value}</td>' in page
    assert page.count('data:image/jpeg') == 1
    assert page.count('data:image/svg+xml') == 2
    assert 'Score threshold: boxes' in page
    assert 'SHA-256' in page
    assert [file.name for file in (tmp_path / 'results').iterdir()] == ['report.html']

    refused(tool(*command), '--report', 'or replace report.html there with --overwrite')
    run(*command, '--overwrite')
    assert (tmp_path / 'results' / 'report.html').read_text() != page


WEIGHTS = [('detr_aug_vit_s_shapes', 'in the package'), ('own/w.safetensors', 'Read-only')]


@pytest.mark.parametrize(('name', 'reason'), WEIGHTS)
def test_a_threshold_of_weights_that_stay_as_they_are_is_beside_the_report(
    run, tmp_path, monkeypatch, name, reason
):
    """Weights of the package, and weights on a disk that is read-only."""
    shapes.write(tmp_path / 'shapes', train=1, val=3, size=128)
    packaged = trained_weights()['detr_aug_vit_s_shapes']
    weights = tmp_path / 'own' / 'w.safetensors'
    weights.parent.mkdir()
    shutil.copyfile(packaged, weights)
    write = card.write_file

    def write_elsewhere(path, content):
        if path.parent == weights.parent:
            raise InputError(f'{path} cannot be written (Read-only file system)')
        write(path, content)

    monkeypatch.setattr(card, 'write_file', write_elsewhere)
    before = {*packaged.parent.iterdir()}
    result = run(
        *('test', 'detr_aug_vit_s_shapes', name, '--data-root', tmp_path / 'shapes'),
        *('--report', 'results'),
    )
    assert {*packaged.parent.iterdir()} == before
    assert [file.name for file in weights.parent.iterdir()] == ['w.safetensors']
    (kept,) = (tmp_path / 'results').glob('*.threshold.json')
    assert f'{reason}' in result.err
    assert f'To use the threshold, add --score-threshold results/{kept.name} to' in result.err


def test_a_promised_precision_is_kept_by_predict(run, tool, tmp_path):
    shapes.write(tmp_path / 'shapes', train=1, val=12, size=128)
    test = ('test', 'detr_aug_vit_s_shapes', 'detr_aug_vit_s_shapes', '--data-root', 'shapes')
    test += ('--report', 'results', '--overwrite', '--num-pictures', '1')
    refused(tool(*test, '--precision', '0.9'), '--precision', 'circle: requires at least 22 images')
    assert (tmp_path / 'results' / 'report.html').is_file()
    assert not [*(tmp_path / 'results').glob('*.json')]

    run(*test, '--precision', '0.5', '--confidence', '0.8')
    (file,) = (tmp_path / 'results').glob('*.json')
    kept = json.loads(file.read_text())
    assert kept['score'] == 1
    promise = 'precision of at least 0.5, with 0.8 confidence, from 12 images of'
    assert kept['source'].startswith(promise)
    assert 0 < min(kept['classes'].values()) <= max(kept['classes'].values()) < 0.9
    predict = ('predict', 'detr_aug_vit_s_shapes', 'shapes/images/val/000000.jpg', '--out', 'out')
    said = run(*predict, '--score-threshold', file).out
    assert f'showing objects with a score of at least 1 ({next(iter(kept["classes"]))} ' in said
    assert promise in said
    file.write_text(json.dumps(kept | {'classes': {'crane': 0.5}}))
    result = tool(*predict, '--overwrite', '--score-threshold', file)
    refused(result, '--score-threshold', "this one has no class 'crane'")


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        (['--precision', '0.9'], '--precision: requires --report'),
        (['--confidence', '0.9'], '--confidence: requires --precision'),
        (['--precision', '0.9', '--report', 'r', '--tta'], 'does not support --tta'),
    ],
)
def test_a_promise_without_what_it_needs_is_refused_before_anything_is_built(
    tool, options, message
):
    result = tool('test', 'detr_aug_vit_s_shapes', 'detr_aug_vit_s_shapes', *options)
    refused(result, options[0], message)
    assert not result.out


@pytest.mark.parametrize('value', ['1', '0', '-1', 'nan', 'high'])
def test_a_precision_is_between_0_and_1(tool, capsys, value):
    with pytest.raises(SystemExit):
        tool('test', 'detr_aug_vit_s_shapes', 'detr_aug_vit_s_shapes', f'--precision={value}')
    assert f'--precision: {value} is not a number between 0 and 1' in capsys.readouterr().err


def test_only_detectors_promise_a_precision(tool):
    promise = ('--precision', '0.9', '--report', 'r')
    result = tool('test', 'setr_mla_msf_vit_ti_shapes', 'setr_mla_msf_vit_ti_shapes', *promise)
    refused(result, '--precision', 'is only for detectors')
