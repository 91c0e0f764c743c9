"""``test --report`` as a user calls it."""

import re
import shutil

import pytest

from vitbackbones.data import shapes
from vitbackbones.errors import InputError
from vitbackbones.runtime import threshold
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
    write = threshold.write_file

    def write_elsewhere(path, content):
        if path.parent == weights.parent:
            raise InputError(f'{path} cannot be written (Read-only file system)')
        write(path, content)

    monkeypatch.setattr(threshold, 'write_file', write_elsewhere)
    before = {*packaged.parent.iterdir()}
    result = run(
        *('test', 'detr_aug_vit_s_shapes', name, '--data-root', tmp_path / 'shapes'),
        *('--report', 'results'),
    )
    assert {*packaged.parent.iterdir()} == before
    assert [file.name for file in weights.parent.iterdir()] == ['w.safetensors']
    (kept,) = (tmp_path / 'results').glob('*.threshold.json')
    assert f'{reason}' in result.err
    assert f'The threshold is in results/{kept.name}. To use it, add --score-thresh' in result.err
