"""How messages write a command, by the way in which the user has started this one."""

import sys
from pathlib import Path

import pytest

from vitbackbones.utils.messages import command, program

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ('started', 'written'),
    [
        ('tools/train.py', 'python tools/test.py'),
        ('clone/tools/train.py', 'python clone/tools/test.py'),
        ('/site-packages/mmdet/.mim/tools/train.py', 'vitbackbones test'),
        ('/site-packages/vitbackbones/__main__.py', 'python -m vitbackbones test'),
        ('/usr/lib/pytest/__main__.py', 'vitbackbones test'),
        ('', 'vitbackbones test'),
    ],
)
def test_a_command_is_written_as_the_user_writes_commands(monkeypatch, tmp_path, started, written):
    (tmp_path / 'clone').symlink_to(ROOT)
    (tmp_path / 'tools').symlink_to(ROOT / 'tools')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, 'argv', [started, 'import'])
    assert ' '.join(command('test')) == written


def test_a_script_names_the_module_where_no_script_is(monkeypatch):
    monkeypatch.setattr(sys, 'argv', [str(ROOT / 'tools' / 'train.py')])
    assert command('check') == ['python', '-m', 'vitbackbones', 'check']


@pytest.mark.parametrize('on_path', [True, False])
def test_the_installed_command_is_short_where_the_shell_finds_it(monkeypatch, tmp_path, on_path):
    script = tmp_path / 'bin' / 'vitbackbones'
    script.parent.mkdir()
    script.touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('PATH', str(script.parent) if on_path else '/nowhere')
    monkeypatch.setattr(sys, 'argv', [str(script), 'train'])
    assert command('check') == ['vitbackbones' if on_path else 'bin/vitbackbones', 'check']


def test_a_program_that_is_no_command_of_ours(monkeypatch):
    monkeypatch.setattr(sys, 'argv', ['/opt/their_train.py', 'a'])
    assert program() == ['python', '/opt/their_train.py']
