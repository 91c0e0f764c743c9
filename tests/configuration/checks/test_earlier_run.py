"""Checkpoints of an earlier run; what ``train`` does with them is shown in tests/commands."""

import pytest

from vitbackbones.configuration.checks.earlier_run import remove_checkpoints, require_unused
from vitbackbones.errors import InputError


@pytest.mark.parametrize(
    'name', ['epoch_3.pth', 'iter_40.pth', 'best_mIoU_iter_4.pth', 'interrupted.pth']
)
def test_a_checkpoint_makes_a_work_dir_a_used_one(tmp_path, name):
    require_unused(tmp_path)
    (tmp_path / name).touch()
    with pytest.raises(InputError, match=rf'earlier run \({name}\).*--resume.*--overwrite'):
        require_unused(tmp_path)


def test_files_of_the_user_and_logs_stay(tmp_path):
    for name in ('iter_4.pth', 'last_checkpoint', 'deit_small.pth', 'config.py'):
        (tmp_path / name).touch()
    (tmp_path / '20260101_000000').mkdir()
    (tmp_path / 'epoch_1.pth').mkdir()  # of a strategy that saves a file for each process
    (tmp_path / 'epoch_1.pth' / 'rank0.pth').touch()
    assert remove_checkpoints(tmp_path) == 'epoch_1.pth, iter_4.pth, last_checkpoint'
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {'deit_small.pth', 'config.py', '20260101_000000'}
    assert remove_checkpoints(tmp_path) == ''


def test_what_a_link_leads_to_stays(tmp_path):
    (tmp_path / 'dear').mkdir()
    (tmp_path / 'run').mkdir()
    (tmp_path / 'run' / 'best_1.pth').symlink_to(tmp_path / 'dear')
    assert remove_checkpoints(tmp_path / 'run') == 'best_1.pth'
    assert [path.name for path in tmp_path.rglob('*')] in (['dear', 'run'], ['run', 'dear'])
