"""The command line as a whole: its verbs, their help, and what it says of a mistake."""

import subprocess
import sys

import pytest

from vitbackbones.commands.main import main, run_verb, verb_parser
from vitbackbones.utils.verbs import VERBS

from .conftest import ROOT


@pytest.fixture
def call(monkeypatch, capsys):
    """``call('train', '--help')`` returns status, output and errors."""

    def run(*words, program='vitbackbones'):
        monkeypatch.setattr(sys, 'argv', [program, *words])
        try:
            status = main()
        except SystemExit as stop:
            status = stop.code
        return status, *capsys.readouterr()

    return run


def test_help_lists_the_verbs(call):
    status, out, _ = call()
    assert status == 0
    assert out.startswith('usage: vitbackbones COMMAND')
    for name, verb in VERBS.items():
        assert f'  {name:<12} {verb.help}\n' in out


@pytest.mark.parametrize(
    ('words', 'said'),
    [
        # the command that continues a run is made from the arguments: none is abbreviated
        ('train a.py --resum', "unrecognized arguments: --resum; did you mean '--resume'?"),
        ('trian', "unknown command 'trian'; did you mean 'train'?"),
        ('check_dataset', "unknown command 'check_dataset'; did you mean 'check' or 'convert'?"),
        ('compare', "unknown command 'compare'; in a clone, type 'python tools/compare.py'"),
        ('xyz', "unknown command 'xyz'; 'vitbackbones --help' lists the commands"),
    ],
)
def test_what_is_unknown_is_refused_with_the_nearest(call, words, said):
    status, _, err = call(*words.split())
    assert status == 2
    assert err.splitlines()[-1].endswith(f': error: {said}')


@pytest.mark.parametrize('words', [('train', 'a.py', '--work-dir', ''), ('import', '--out=')])
def test_an_empty_argument_is_not_the_current_folder(call, words):
    status, _, err = call(*words)
    assert status == 2
    assert 'an argument is empty (is a variable not set?): ' in err.splitlines()[-1]


def test_a_package_that_is_missing_is_one_message(monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, 'vitbackbones.commands.data.browse', raising=False)
    monkeypatch.setitem(sys.modules, 'torch.utils.data', None)
    assert run_verb('browse', ['quick_detector']) == 2
    assert "pip install 'vitbackbones[all]'" in capsys.readouterr().err


LIGHT = """
import sys
from vitbackbones.commands.main import main
sys.argv = ['vitbackbones', *sys.argv[1:]]
try:
    status = main()
except SystemExit as stop:
    status = stop.code
heavy = {'torch', 'numpy', 'mmengine', 'mmcv', 'PIL'} & set(sys.modules)
sys.exit(', '.join(heavy) or status)
"""


@pytest.mark.parametrize('words', [['--help'], ['trian'], ['train', '--help']])
def test_help_and_version_import_nothing_heavy(words):
    command = [sys.executable, '-c', LIGHT, *words]
    result = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert result.returncode == (2 if words == ['trian'] else 0), result.stderr


LIGHT_VERBS = """
import sys
from vitbackbones.commands.main import verb_parser
from vitbackbones.utils.verbs import VERBS
for verb in VERBS:
    assert verb_parser(verb).format_help()
    heavy = {'torch', 'mmengine', 'mmcv', 'mmdet', 'mmseg'} & set(sys.modules)
    assert not heavy, f'{verb} imports {heavy}'
"""


def test_the_help_of_no_verb_imports_torch():
    command = [sys.executable, '-c', LIGHT_VERBS]
    result = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert result.returncode == 0, result.stderr


def test_options_of_a_training_are_in_groups(call):
    _, out, _ = call('train', '--help')
    groups = ['start', 'length and size', 'speed', 'following']
    assert [line[:-1] for line in out.splitlines() if line[:-1] in groups] == groups
    assert 'local_rank' not in out
    start, length = out.split('\nlength and size:')
    assert '--data-root DIR' in start
    assert '--lr RATE' in length


@pytest.mark.parametrize('verb', ['train', 'predict'])
def test_scripts_of_a_clone_run_the_clone_from_any_directory(verb, monkeypatch, tmp_path):
    (tmp_path / 'vitbackbones.py').write_text("raise ImportError('what is installed')")
    monkeypatch.setenv('PYTHONPATH', str(tmp_path))
    script = ROOT / 'tools' / f'{verb}.py'
    command = [sys.executable, script, '--help']
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=100)
    monkeypatch.setattr(sys, 'argv', [str(script)])
    assert result.returncode == 0, result.stderr
    assert result.stdout == verb_parser(verb).format_help()
