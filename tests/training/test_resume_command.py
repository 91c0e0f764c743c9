"""The command that continues a run."""

import sys

import pytest

from vitbackbones.training.find_checkpoint import resume_hint


@pytest.mark.parametrize(
    ('arguments', 'kept'),
    [
        (['a.py', '--amp'], 'a.py --amp'),
        (['a.py', '--resume', 'old.pth', '--amp'], 'a.py --amp'),
        (['a.py', '--resume', '--amp'], 'a.py --amp'),
        (['a.py', '--resume=old.pth'], 'a.py'),
        (['--overwrite', 'a.py'], 'a.py'),
        (
            ['a.py', '--pretrained', 'deit.pth', '--work-dir', 'my runs'],
            "a.py --work-dir 'my runs'",
        ),
    ],
)
def test_arguments(monkeypatch, arguments, kept):
    monkeypatch.setattr(sys, 'executable', '/opt/my python')
    monkeypatch.setattr(sys, 'argv', ['train.py', *arguments])
    assert resume_hint() == f"continue with: '/opt/my python' train.py {kept} --resume"


def test_an_environment_in_the_current_directory(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, 'executable', str(tmp_path / '.venv' / 'bin' / 'python'))
    monkeypatch.setattr(sys, 'argv', ['train.py', 'a.py'])
    assert resume_hint() == 'continue with: .venv/bin/python train.py a.py --resume'


def test_a_smoke_test_is_not_continued(monkeypatch):
    monkeypatch.setattr(sys, 'argv', ['train.py', 'a.py', '--smoke', '--compile'])
    assert resume_hint() == 'start again with the same command'
