"""``test --report`` as a user calls it."""

import re

import pytest

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

    refused(tool(*command), '--report', 'or --overwrite, which replaces report.html')
    run(*command, '--overwrite')
    assert (tmp_path / 'results' / 'report.html').read_text() != page
