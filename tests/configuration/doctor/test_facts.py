"""An import that fails is an answer; what is installed is read off metadata."""

import sys

import pytest

from vitbackbones.configuration.doctor import facts
from vitbackbones.configuration.doctor.facts import (
    Installed,
    Probe,
    existing,
    installed_packages,
    look,
    probe,
    run_probes,
)

CRASH = 'import os, signal; os.kill(os.getpid(), signal.SIGSEGV)'


def test_answers_are_the_last_line_that_a_program_prints():
    program = 'import json\nprint("welcome")\nprint(json.dumps(dict(version="1")))'
    assert probe(program) == Probe(answers={'version': '1'})


@pytest.mark.parametrize(
    ('program', 'error'),
    [
        ('raise RuntimeError("operator does not exist")', 'RuntimeError: operator does not exist'),
        ('raise ImportError("numpy failed\\n\\nread this page")', 'ImportError: numpy failed'),
        (CRASH, 'the process was ended by SIGSEGV'),
        ('raise SystemExit(7)', 'exit status 7'),
    ],
)
def test_a_program_that_fails_is_named_by_its_error(program, error):
    assert probe(program).error == error


def test_a_program_without_an_end_is_given_up(monkeypatch):
    monkeypatch.setattr('vitbackbones.configuration.doctor.facts.SECONDS', 0.2)
    assert 'no answer' in probe('import time; time.sleep(9)').error


def test_a_missing_module_is_named():
    found = run_probes({'a': 'import not_there.at_all', 'b': 'print("{}")'})
    assert (found['a'].missing, found['b'].missing) == ('not_there', '')


def install(folder, name, version, requires=()):
    info = folder / f'{name.replace("-", "_")}-{version}.dist-info'
    info.mkdir(parents=True)
    lines = [f'Name: {name}', f'Version: {version}', *(f'Requires-Dist: {r}' for r in requires)]
    (info / 'METADATA').write_text('\n'.join(['Metadata-Version: 2.1', *lines]))


def test_of_two_installations_the_one_that_is_imported_is_meant(tmp_path, monkeypatch):
    first, second = tmp_path / 'first', tmp_path / 'second'
    install(first, 'Torch_Vision', '0.26.0', ['torch==2.11.0'])
    install(second, 'torch-vision', '0.25.0')
    (first / 'broken-1.0.dist-info').mkdir()
    monkeypatch.setattr(sys, 'path', [str(first), str(second)])
    vision = Installed('0.26.0', requires=('torch==2.11.0',))
    assert installed_packages() == {'torch-vision': vision}


def test_a_clone_is_found_in_the_current_folder_and_a_cache_before_its_first_file(
    tmp_path, monkeypatch
):
    (tmp_path / 'vitbackbones').mkdir()
    (tmp_path / 'vitbackbones' / 'version.py').write_text("__version__ = '7.0'\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('TORCH_HOME', str(tmp_path / 'not' / 'yet'))
    monkeypatch.setenv('CUDA_VISIBLE_DEVICES', '3')

    env = look(probes={})

    assert (env.clone.version, env.clone.root) == ('7.0', str(tmp_path))
    assert existing(facts.cache_folder()) == tmp_path
    assert list(env.free) == [str(tmp_path)]
    assert env.read_only == ()
    assert env.visible_gpus == '3'


def test_a_folder_that_takes_no_files_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv('TORCH_HOME', str(tmp_path))
    monkeypatch.setattr('os.access', lambda folder, mode: folder != tmp_path)  # root may write
    assert look(probes={}).read_only == (str(tmp_path),)


@pytest.mark.parametrize('variable', ['XDG_CACHE_HOME', 'TORCH_HOME'])
def test_the_cache_is_where_the_variables_say(tmp_path, monkeypatch, variable):
    monkeypatch.delenv('TORCH_HOME', raising=False)
    monkeypatch.setenv(variable, str(tmp_path))
    assert tmp_path in (facts.cache_folder(), facts.cache_folder().parent)


def test_damaged_metadata_stops_nothing(tmp_path, monkeypatch):
    install(tmp_path, 'torch', '2.0')
    for name, content in (('damaged', b'\xff\xfe'), ('mmdet', b'Name: mmdet\n')):
        (tmp_path / f'{name}-1.dist-info').mkdir()
        (tmp_path / f'{name}-1.dist-info' / 'METADATA').write_bytes(content)
    monkeypatch.setattr(sys, 'path', [str(tmp_path)])
    assert [*installed_packages()] == ['torch']
