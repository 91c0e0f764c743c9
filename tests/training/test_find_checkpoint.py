"""Which checkpoint a path stands for, that it is said, and how a run goes on."""

import os
import sys

import pytest
import torch
from mmengine.config import Config

from vitbackbones.errors import InputError
from vitbackbones.training.find_checkpoint import (
    LATEST,
    POINTER,
    best_checkpoints,
    find_checkpoint,
    find_resume,
    latest_checkpoint,
    resume_hint,
)
from vitbackbones.utils import started
from vitbackbones.weights.trained import trained_weights


def save(work_dir, *names):
    """Write checkpoints one after another; the last is the newest."""
    for second, name in enumerate(names):
        torch.save({}, work_dir / name)
        os.utime(work_dir / name, (second, second))


def cut(file):
    file.write_bytes(file.read_bytes()[:-100])


# ------------------------------------------------------------------------ the latest


@pytest.mark.parametrize(
    ('pointer', 'latest', 'damaged'),
    [
        (b'/gone/epoch_9.pth', 'epoch_9.pth', ''),  # of a folder that was moved
        (b'/gone/epoch_7.pth', 'epoch_10.pth', ''),
        (b'\xff\xfe\x00\x80', 'epoch_10.pth', POINTER),
        (b'', 'epoch_9.pth', 'epoch_10.pth'),
    ],
)
def test_latest_is_the_one_named_or_the_newest_whole_one(
    tmp_path, capsys, pointer, latest, damaged
):
    save(tmp_path, 'epoch_9.pth', 'epoch_10.pth', 'best_x_epoch_9.pth')
    (tmp_path / POINTER).write_bytes(pointer)
    if damaged.startswith('epoch'):
        cut(tmp_path / damaged)
    config = Config({'work_dir': str(tmp_path)})
    assert find_resume(config, LATEST) == tmp_path / latest
    taken = f'using {tmp_path / latest}, the newest complete checkpoint'
    warning = f'warning: {tmp_path / damaged} is damaged or truncated; {taken}\n'
    assert capsys.readouterr().err == (warning if damaged else '')


def test_links_that_lead_nowhere_are_passed_over(tmp_path, capsys):
    """mmcv 1 wrote links to the latest and best files, which a later clean-up may remove."""
    for name in ('latest.pth', 'best_bbox_mAP_epoch_9.pth'):
        (tmp_path / name).symlink_to(tmp_path / 'epoch_9.pth')
    assert latest_checkpoint(tmp_path) is None
    assert best_checkpoints(tmp_path) == []
    save(tmp_path, 'epoch_7.pth')
    assert latest_checkpoint(tmp_path) == tmp_path / 'epoch_7.pth'
    assert not capsys.readouterr().err


def test_nothing_to_resume(tmp_path):
    config = Config({'work_dir': str(tmp_path)})
    save(tmp_path, 'epoch_1.pth')
    cut(tmp_path / 'epoch_1.pth')
    with pytest.raises(InputError, match=f'--resume: no checkpoint in {tmp_path}. Remove --resume'):
        find_resume(config, LATEST)
    with pytest.raises(InputError, match='--resume nothing.pth: no checkpoint there'):
        find_resume(config, 'nothing.pth')


# ------------------------------------------------------------------------ by name


def test_a_wrong_name_in_a_folder_suggests_the_nearest(tmp_path):
    save(tmp_path, 'epoch_2.pth', 'epoch_3.pth')
    message = rf"no checkpoint there .*; did you mean '{tmp_path}/epoch_3\.pth' or '{tmp_path}/ep"
    with pytest.raises(InputError, match=message):
        find_checkpoint(str(tmp_path / 'epoch_30.pth'), 'CHECKPOINT')


def test_weights_that_come_along_go_by_name_unless_a_file_has_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = 'detr_aug_vit_s_shapes'
    assert find_checkpoint(name, 'CHECKPOINT') == trained_weights()[name]
    save(tmp_path, name)
    assert find_checkpoint(name, 'CHECKPOINT') == tmp_path / name


# ------------------------------------------------------------------------ the best


@pytest.mark.parametrize(
    ('names', 'message'),
    [
        (['epoch_1.pth'], r'^CHECKPOINT .*/best: no best_\*.pth there.*save_best.*the latest'),
        (
            ['best_a.pth', 'best_b.pth'],
            'there are several best checkpoints; give one of best_b.pth, best_a.pth$',
        ),
    ],
)
def test_the_best_is_there_and_only_one(tmp_path, names, message):
    save(tmp_path, *names)
    with pytest.raises(InputError, match=message):
        find_checkpoint(str(tmp_path / 'best'), 'CHECKPOINT')


# ------------------------------------------------------------------------ the hint


def test_a_smoke_test_is_not_continued(monkeypatch):
    monkeypatch.setattr(sys, 'argv', ['train.py', 'a.py', '--smoke', '--compile'])
    assert resume_hint(Config()) == 'start again with the same command'


@pytest.mark.parametrize(
    ('words', 'said'),
    [
        (['train', 'a b.py', '--amp'], "train 'a b.py' --amp --resume"),
        (['train', 'a.py', '--pretrained', 'x.pth', '--amp'], 'train a.py --amp --resume'),
        (['train', 'a.py', '--pretrained=x.pth', '--overwrite'], 'train a.py --resume'),
        (['train', 'a.py', '--resume'], 'train a.py --resume'),
        (
            ['train', 'a.py', '--resume', 'b.pth', '--work-dir', 'c'],
            'train a.py --work-dir c --resume',
        ),
        (['train', 'a.py', '--resume', '--work-dir', 'c'], 'train a.py --work-dir c --resume'),
    ],
)
def test_the_command_that_continues_is_whole_and_quoted(monkeypatch, words, said):
    monkeypatch.delenv('WORLD_SIZE', raising=False)
    monkeypatch.setattr(sys, 'argv', ['vitbackbones', *words])
    assert resume_hint(Config()) == f'continue with: vitbackbones {said}'


def test_of_several_processes_only_the_launcher_knows_the_command(monkeypatch):
    monkeypatch.setenv('WORLD_SIZE', '2')
    monkeypatch.setattr(sys, 'argv', ['vitbackbones', 'train', 'a.py'])
    assert resume_hint(Config()).startswith('continue with the same command and --resume')


def test_a_training_of_an_audit_does_not_name_its_own_command(monkeypatch):
    monkeypatch.setenv(started.PART, '1')
    monkeypatch.setattr(sys, 'argv', ['vitbackbones', 'train', 'a.py'])
    assert resume_hint(Config()) == 'continue with the same command'


def test_the_command_finds_modules_of_the_user(monkeypatch):
    monkeypatch.delenv('WORLD_SIZE', raising=False)
    monkeypatch.setenv('PYTHONPATH', 'my code')
    monkeypatch.setattr(sys, 'argv', ['vitbackbones', 'train', 'a.py'])
    own = Config({'custom_imports': {'imports': ['vitbackbones', 'mine']}})
    assert resume_hint(own) == (
        "continue with: PYTHONPATH='my code' vitbackbones train a.py --resume"
    )
    assert 'PYTHONPATH' not in resume_hint(
        Config({'custom_imports': {'imports': ['vitbackbones']}})
    )
