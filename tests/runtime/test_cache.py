"""The cache of graphs: what it rests on, and what damage costs."""

import os
import shutil
import sys
import time
from pathlib import Path

import pytest

from vitbackbones.runtime import cache
from vitbackbones.runtime.cache import Graphs, foreign_code, recall, remember

from .graphs import write_classifier

WORDS = {'config': 'tiny', 'runtime': 'auto'}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    return tmp_path / 'cache/vitbackbones/graphs'


@pytest.fixture
def noted(tmp_path):
    """A note that rests on a file and on a folder."""
    config, work_dir = tmp_path / 'config.py', tmp_path / 'run'
    config.write_text('model = 1')
    work_dir.mkdir()
    remember(WORDS, [config], [work_dir], {'key': 'abc'})
    return config, work_dir


def test_a_note_is_for_its_words_and_folder_alone(noted, tmp_path, monkeypatch):
    assert recall(WORDS) == {'key': 'abc'}
    assert recall(WORDS | {'config': 'other'}) is None
    monkeypatch.chdir(tmp_path)  # paths on the command line mean other files there
    assert recall(WORDS) is None


def test_a_note_ends_with_what_it_rests_on(noted, monkeypatch):
    config, work_dir = noted
    (work_dir / 'epoch_2.pth').touch()
    assert recall(WORDS) is None
    remember(WORDS, [config], [], {'key': 'abc'})
    with monkeypatch.context() as patch:
        patch.setattr(cache, 'versions', lambda: {'torch': '9'})
        assert recall(WORDS) is None
    assert recall(WORDS)
    config.write_text('model = 2')
    assert recall(WORDS) is None
    config.unlink()
    assert recall(WORDS) is None


@pytest.mark.parametrize('damage', ['', '{', '[]', '1', '["a", 1]', 'abd'])
def test_a_damaged_note_is_none(noted, folder, damage):
    (file,) = folder.glob('*.json')
    file.write_text(file.read_text().replace('abc', 'abd') if damage == 'abd' else damage)
    assert recall(WORDS) is None


def test_a_cache_that_cannot_be_written_to_is_no_error(tmp_path, monkeypatch):
    (tmp_path / 'file').touch()
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'file'))
    remember(WORDS, [], [], {})
    assert recall(WORDS) is None


def cached(key):
    graphs = Graphs(key, '.onnx')
    graphs.folder.mkdir(parents=True)
    write_classifier(graphs.file('any'))
    assert graphs.open('any') is None  # a process was killed here
    graphs.seal('any')
    assert graphs.open('any').card.name == 'tiny'
    return graphs


@pytest.mark.parametrize('name', ['any.onnx', 'any.onnx.json', 'any.onnx.seal'])
def test_a_damaged_graph_is_none_and_named(name, capsys):
    graphs = cached('key')
    file = graphs.folder / name
    file.write_bytes(file.read_bytes().replace(b'tiny', b'Tiny') + b'1')
    assert graphs.open('any') is None
    assert graphs.names() == []
    assert 'It is made again' in capsys.readouterr().err


def test_a_graph_of_another_model_is_none(capsys):
    graphs = cached('key')
    for file in cached('other').folder.iterdir():
        shutil.copy(file, graphs.folder)
    assert graphs.open('any') is None
    assert 'is not what was exported to the cache' in capsys.readouterr().err


def aged(folder, **ages):
    """Put models and notes of 10 kB into the cache, that were asked for so many seconds ago."""
    for name, age in ages.items():
        place = folder / name
        if name.startswith('note'):
            place = file = place.with_suffix('.json')
        else:
            place.mkdir(parents=True)
            file = place / 'any.bin'
        file.write_bytes(bytes(10_000))
        os.utime(place, (time.time() - age,) * 2)


def test_what_was_not_asked_for_longest_goes(folder, monkeypatch):
    monkeypatch.setattr(cache, 'MOST_BYTES', 39_000)
    aged(folder, a=10, b=40, c=50, note_1=20, note_2=30)
    Graphs('c', '.onnx').tidy()
    assert {each.name for each in folder.iterdir()} == {'c', 'a', 'note_1.json'}


def test_a_model_of_more_bytes_than_are_kept_stays(folder, monkeypatch):
    monkeypatch.setattr(cache, 'MOST_BYTES', 10)
    aged(folder, a=1, b=2)
    Graphs('b', '.onnx').tidy()
    assert {each.name for each in folder.iterdir()} == {'b'}


def test_a_note_that_is_read_was_asked_for(noted, folder):
    (note,) = folder.glob('*.json')
    os.utime(note, (0, 0))
    assert recall(WORDS)
    assert time.time() - note.stat().st_mtime < 60


def test_code_of_the_user_counts(tmp_path, monkeypatch):
    (tmp_path / 'guest_backbone.py').touch()
    monkeypatch.syspath_prepend(tmp_path)
    __import__('guest_backbone')
    try:
        found = foreign_code()
    finally:
        del sys.modules['guest_backbone']
    assert tmp_path / 'guest_backbone.py' in found
    assert not [file for file in found if 'site-packages' in file.parts]
    assert Path(cache.__file__) not in found
