"""The work dir is tried before anything is built, and an earlier run in it is noticed."""

import resource
from pathlib import Path

import pytest
from mmengine.config import Config

from vitbackbones.errors import InputError
from vitbackbones.preparing.work_dir import (
    choose_work_dir,
    only_writer,
    remove_checkpoints,
    require_unused,
)
from vitbackbones.utils.files import LOCK, prepare_folder


@pytest.fixture
def config(tmp_path, monkeypatch):
    (tmp_path / 'detr.py').write_text('')
    monkeypatch.chdir(tmp_path)
    return Config.fromfile(tmp_path / 'detr.py')


def test_the_default_is_in_the_current_directory(config, tmp_path):
    config = choose_work_dir(config)
    assert not Path('work_dirs').exists()
    with only_writer(config):
        assert (tmp_path / 'work_dirs' / 'detr').is_dir()


@pytest.mark.parametrize(
    ('given', 'own', 'chosen'),
    [(None, None, 'work_dirs/detr'), (None, 'own', 'own'), ('given', 'own', 'given')],
)
def test_precedence(config, tmp_path, given, own, chosen):
    config.work_dir = own
    assert Path(choose_work_dir(config, given).work_dir) == tmp_path / chosen
    below = choose_work_dir(config, given, below='smoke')
    assert Path(below.work_dir) == tmp_path / chosen / 'smoke'


def test_a_file_stands_there(tmp_path):
    (tmp_path / 'taken').write_text('')
    message = f'--work-dir {tmp_path}/taken: cannot be written to \\(File exists\\)'
    with pytest.raises(InputError, match=message):
        prepare_folder(tmp_path / 'taken', '--work-dir')
    for place in (tmp_path / 'taken/below', '/proc/x'):  # below a file; where nothing may be made
        with pytest.raises(
            InputError, match=rf'--draw {place}: cannot be written to \(.+\)\. Choo'
        ):
            prepare_folder(place, '--draw')


@pytest.mark.parametrize(('rank', 'left'), [(0, {LOCK}), (1, {'epoch_1.pth.other.7.part'})])
def test_the_first_process_locks_and_tidies_up(config, tmp_path, monkeypatch, rank, left):
    monkeypatch.setenv('RANK', str(rank))
    config = choose_work_dir(config, 'run')
    folder = Path(config.work_dir)
    folder.mkdir()
    (folder / 'epoch_1.pth.other.7.part').touch()
    with only_writer(config):
        assert {path.name for path in folder.iterdir()} == left


def test_a_disk_without_room_for_the_config_and_the_log(tmp_path):
    """A limit on the size of files stands for it."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**16, before[1]))
    try:
        with pytest.raises(InputError, match=r'cannot be written to \(File too large\)\. Choose'):
            prepare_folder(tmp_path / 'run', '--work-dir')
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize('name', ['last_checkpoint', 'detr.py'])
def test_a_link_is_not_written_through(config, tmp_path, name):
    config = choose_work_dir(config, 'own')
    (tmp_path / 'own').mkdir()
    (tmp_path / 'own' / name).symlink_to(tmp_path / 'elsewhere')
    with pytest.raises(InputError, match=f'own/{name}: is a link'), only_writer(config):
        pass


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
    (tmp_path / 'best_1.pth').symlink_to(tmp_path / '20260101_000000')  # which stays
    assert remove_checkpoints(tmp_path) == 'epoch_1.pth, iter_4.pth, best_1.pth, last_checkpoint'
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {'deit_small.pth', 'config.py', '20260101_000000'}
    assert remove_checkpoints(tmp_path) == ''
