"""Which checkpoint a folder stands for, and that it is said."""

import os

import pytest
import torch

from vitbackbones.errors import InputError
from vitbackbones.training.find_checkpoint import choose_checkpoint, find_checkpoint
from vitbackbones.weights.trained import trained_weights


def save(work_dir, *names):
    """Write checkpoints one after another; the last is the newest."""
    for second, name in enumerate(names):
        torch.save({}, work_dir / name)
        os.utime(work_dir / name, (second, second))


def test_a_work_dir_is_its_latest_and_its_best(tmp_path, monkeypatch, capsys):
    work_dir = tmp_path / 'run'
    work_dir.mkdir()
    save(work_dir, 'epoch_1.pth', 'best_mIoU_epoch_1.pth', 'epoch_2.pth')
    assert choose_checkpoint(str(work_dir), 'CHECKPOINT') == work_dir / 'epoch_2.pth'
    said = f'checkpoint: {work_dir}/epoch_2.pth, the latest; {work_dir}/best stands for best_mIoU_'
    assert said in capsys.readouterr().out
    monkeypatch.chdir(tmp_path)
    assert choose_checkpoint('run/best', 'CHECKPOINT').name == 'best_mIoU_epoch_1.pth'
    assert capsys.readouterr().out.endswith('best_mIoU_epoch_1.pth, the best\n')


@pytest.mark.parametrize('name', ['last_checkpoint', 'epoch_2.pth'])
def test_a_pipe_in_a_work_dir_is_not_waited_for(tmp_path, capsys, name):
    save(tmp_path, 'epoch_1.pth')
    os.mkfifo(tmp_path / name)
    assert choose_checkpoint(str(tmp_path), 'CHECKPOINT') == tmp_path / 'epoch_1.pth'
    assert 'epoch_1.pth, the newest whole one, is taken' in capsys.readouterr().err


def test_a_file_needs_no_words(tmp_path, capsys):
    save(tmp_path, 'best')
    assert choose_checkpoint(str(tmp_path / 'best'), 'CHECKPOINT') == tmp_path / 'best'
    assert capsys.readouterr().out == ''


def test_of_several_processes_the_first_speaks(tmp_path, monkeypatch, capsys):
    save(tmp_path, 'best_a.pth', 'epoch_1.pth')
    monkeypatch.setenv('RANK', '1')
    for path in (tmp_path, tmp_path / 'best'):
        choose_checkpoint(str(path), 'CHECKPOINT')
    assert capsys.readouterr().out == ''


@pytest.mark.parametrize(
    ('names', 'message'),
    [
        (['epoch_1.pth'], r'^CHECKPOINT .*/best: no best_\*.pth there.*save_best.*the latest'),
        (['best_a.pth', 'best_b.pth'], 'name one of several there: best_b.pth, best_a.pth$'),
    ],
)
def test_the_best_is_there_and_only_one(tmp_path, names, message):
    save(tmp_path, *names)
    with pytest.raises(InputError, match=message):
        find_checkpoint(str(tmp_path / 'best'), 'CHECKPOINT')


def test_the_best_is_whole(tmp_path):
    save(tmp_path, 'best_a.pth', 'epoch_1.pth')
    with open(tmp_path / 'best_a.pth', 'r+b') as file:
        file.truncate(200)
    with pytest.raises(InputError, match=r'best_a.pth: the file is cut short; .*epoch_1.pth$'):
        find_checkpoint(str(tmp_path / 'best'), 'CHECKPOINT')


def test_best_of_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match='nowhere/best: no checkpoint there'):
        find_checkpoint(str(tmp_path / 'nowhere' / 'best'), 'CHECKPOINT')


def test_weights_that_come_along_go_by_name_unless_a_file_has_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = 'detr_aug_vit_s_shapes'
    assert find_checkpoint(name, 'CHECKPOINT') == trained_weights()[name]
    save(tmp_path, name)
    assert find_checkpoint(name, 'CHECKPOINT') == tmp_path / name
