"""``train`` in a work dir that another run has used, or is using."""

import pytest

from vitbackbones.weights.read.load import load_file

from .conftest import TINY_SEG
from .test_messages import refused


@pytest.fixture
def train(tool, data, tmp_path):
    """Train one iteration in ``tmp_path / 'run'`` with further arguments."""

    def call(*arguments, options=()):
        fixed = ['--scratch', '--data-root', data, '--work-dir', tmp_path / 'run']
        options = ['--cfg-options', 'train_cfg.max_iters=1', *options]
        return tool('train', TINY_SEG, *fixed, *arguments, *options)

    return call


@pytest.fixture
def used(tmp_path):
    """The files of an earlier run, and one of the user's."""
    folder = tmp_path / 'run'
    folder.mkdir()
    for name in ('iter_8.pth', 'best_mIoU_iter_8.pth', 'last_checkpoint', 'deit.pth'):
        (folder / name).write_text('earlier')
    return folder


def contents(folder):
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


def test_starting_again_asks_what_is_meant(train, used):
    before = contents(used)
    refused(
        train(),
        f'--work-dir {used}: contains checkpoints of an earlier run (iter_8.pth, best_m',
        'Continue that run with --resume, remove it and start from the beginning with --overwrite',
    )
    assert before.items() <= contents(used).items()


def test_overwrite_removes_the_earlier_checkpoints(train, used):
    (used / 'adapter').mkdir()
    (used / 'adapter' / 'adapter_config.json').write_text('{}')
    result = train('--overwrite')
    assert result.status == 0
    assert '--overwrite: removed iter_8.pth, best_mIoU_iter_8.pth, last_checkpoint' in result.out
    assert not list((used / 'adapter').iterdir())
    assert {path.name for path in used.glob('*.pth')} == {'iter_1.pth', 'deit.pth'}
    assert load_file(used / 'iter_1.pth')['meta']['iter'] == 1
    assert (used / 'last_checkpoint').read_text() == str(used / 'iter_1.pth')


@pytest.mark.parametrize(
    ('option', 'text'),
    [
        ('load_from=run/iter_8.pth', 'run/iter_8.pth, from which the run starts (load_from); move'),
        ('resume=True', '--overwrite starts from the beginning, but the config has resume=True; '),
    ],
)
def test_nothing_is_removed_where_the_run_is_refused(train, used, option, text):
    before = contents(used)
    refused(train('--overwrite', options=[option]), text)
    assert before.items() <= contents(used).items()
