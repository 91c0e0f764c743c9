"""``test --report`` as a user calls it."""

import re

import pytest

from .conftest import TINY, TINY_CLS, TINY_SEG
from .test_messages import refused

pytestmark = pytest.mark.compat


def trained(run, config, data):
    """Return the work dir of one short run."""
    shorter = {TINY: 'train_cfg.max_epochs=1', TINY_SEG: 'train_cfg.max_iters=1'}.get(config)
    options = ['--cfg-options', shorter, 'train_cfg.val_interval=9'] if shorter else []
    run('train', config, '--scratch', '--data-root', data, *options)
    return f'work_dirs/{config.stem}'


def test_a_page_about_boxes(run, tool, data, tmp_path):
    command = ('test', TINY, trained(run, TINY, data), '--data-root', data, '--report', 'results')
    result = run(*command, '--score-threshold', '0', '--num-pictures', '1')
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
    run(*command, '--overwrite')
    assert (tmp_path / 'results' / 'report.html').read_text() != page


@pytest.mark.parametrize(
    ('config', 'files', 'name'),
    [(TINY_SEG, 'data', 'mIoU'), (TINY_CLS, 'folders', 'accuracy/top2')],
    ids=['masks', 'classes'],
)
def test_a_page_about(run, tmp_path, request, config, files, name):
    data = request.getfixturevalue(files)
    command = ('test', config, trained(run, config, data), '--data-root', data)
    result = run(*command, '--report', 'results', '--draw', 'pictures', '--num-pictures', '2')
    value = re.search(rf'^{name} +(\S+)$', result.out, re.M)[1]
    page = (tmp_path / 'results' / 'report.html').read_text()
    assert f'>{name}</th><td>{value}</td>' in page
    assert 'data:image/jpeg' in page
    drawn = sorted(path.name for path in (tmp_path / 'pictures').iterdir())
    assert (len(drawn), drawn[-1]) == (3, 'contact_sheet.png')
