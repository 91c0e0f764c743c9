"""``test --report`` as a user calls it."""

import re

import pytest

from .conftest import TINY, TINY_CLS, TINY_SEG
from .test_messages import refused

pytestmark = pytest.mark.compat


def trained(tool, config, data):
    """Return the work dir of one short run."""
    shorter = {TINY: 'train_cfg.max_epochs=1', TINY_SEG: 'train_cfg.max_iters=1'}.get(config)
    options = ['--cfg-options', shorter, 'train_cfg.val_interval=9'] if shorter else []
    result = tool('train', config, '--scratch', '--data-root', data, *options)
    assert result.status == 0, result.err
    return f'work_dirs/{config.stem}'


def test_a_page_about_boxes(tool, data, tmp_path):
    command = ('test', TINY, trained(tool, TINY, data), '--data-root', data, '--report', 'results')
    result = tool(*command, '--score-threshold', '0', '--num-pictures', '1')
    assert result.status == 0, result.err
    assert 'report: results/report.html' in result.out
    page = (tmp_path / 'results' / 'report.html').read_text()
    for name, value in re.findall(r'^(coco/\S+) +(\S+)$', result.out, re.M):
        assert f'>{name}</th><td>{value}</td>' in page
    assert page.count('data:image/jpeg') == 1
    assert page.count('data:image/svg+xml') == 1
    assert 'SHA-256' in page
    assert [file.name for file in (tmp_path / 'results').iterdir()] == ['report.html']

    again = refused(tool(*command))
    assert '--report' in again
    assert (
        'is not empty. Choose another folder, or --overwrite, which replaces report.html' in again
    )
    assert tool(*command, '--overwrite').status == 0
    assert (tmp_path / 'results' / 'report.html').read_text() != page


@pytest.mark.parametrize(
    ('config', 'files', 'name'),
    [(TINY_SEG, 'data', 'mIoU'), (TINY_CLS, 'folders', 'accuracy/top2')],
    ids=['masks', 'classes'],
)
def test_a_page_about(tool, tmp_path, request, config, files, name):
    data = request.getfixturevalue(files)
    command = ('test', config, trained(tool, config, data), '--data-root', data)
    result = tool(*command, '--report', 'results')
    assert result.status == 0, result.err
    value = re.search(rf'^{name} +(\S+)$', result.out, re.M)[1]
    page = (tmp_path / 'results' / 'report.html').read_text()
    assert f'>{name}</th><td>{value}</td>' in page
    assert 'data:image/jpeg' in page
