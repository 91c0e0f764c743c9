"""The cache of graphs: what it rests on, and what damage costs."""

import os
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from vitbackbones.runtime import cache
from vitbackbones.runtime.cache import (
    ANY,
    Graphs,
    foreign_code,
    key_of,
    name_of,
    recall,
    remember,
    versions,
)

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
    assert 'It is exported again' in capsys.readouterr().err


def test_a_graph_of_another_model_is_none(capsys):
    graphs = cached('key')
    for file in cached('other').folder.iterdir():
        shutil.copy(file, graphs.folder)
    assert graphs.open('any') is None
    assert 'was changed after the export' in capsys.readouterr().err


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


def test_names_and_keys():
    assert name_of((320, 256)) == '320x256'
    assert key_of({'a': 1, 'b': 2}) == key_of({'b': 2, 'a': 1}) != key_of({'a': 1, 'b': 3})
    assert Graphs('key', '.onnx').names() == []
    graphs = cached('key')
    write_classifier(graphs.file('8x8'))
    assert graphs.names() == [ANY]
    graphs.seal('8x8')
    assert graphs.names() == ['8x8', ANY]
    assert Graphs('key', '.xml').names() == []


def test_one_process_after_the_other_adds_graphs(monkeypatch):
    graphs, calls = Graphs('key', '.onnx'), []
    monkeypatch.setattr(cache.fcntl, 'lockf', lambda file, how: calls.append((file.name, how)))
    for _ in range(2):
        with graphs.turn():
            assert (graphs.folder / '.lock').is_file()
    assert calls == [(str(graphs.folder / '.lock'), cache.fcntl.LOCK_EX)] * 2

    def fail(file, how):
        raise OSError

    monkeypatch.setattr(cache.fcntl, 'lockf', fail)
    with graphs.turn():  # a file system without locks
        calls.append('inside')
    assert calls[-1] == 'inside'


def test_one_thread_after_the_other_adds_graphs():
    inside = []

    def add():
        with Graphs('key', '.onnx').turn():
            inside.append(1)
            time.sleep(0.05)
            assert inside == [1]
            inside.pop()

    with ThreadPoolExecutor(4) as pool:
        for each in [pool.submit(add) for _ in range(4)]:
            each.result()


@pytest.mark.parametrize(('chosen', 'threads'), [('', 0), ('3', 3), ('3,2', 0)])
def test_threads_are_as_many_as_the_environment_says(monkeypatch, chosen, threads):
    graphs, given = cached('key'), []
    monkeypatch.setenv('OMP_NUM_THREADS', chosen)
    monkeypatch.setattr(cache, 'load', lambda file, count, **how: given.append((file, count)))
    graphs.open('any')
    assert given == [(graphs.file('any'), threads)]


def test_a_damaged_graph_loses_its_seal():
    graphs = cached('key')
    graphs.file('any').write_bytes(b'')
    assert graphs.open('any') is None
    assert not (graphs.folder / 'any.onnx.seal').exists()


def test_versions_are_those_of_what_computes(monkeypatch, tmp_path):
    for name in ('torch-2.0', 'Pillow-9', 'requests-1', 'mmdet-3'):
        (tmp_path / f'{name}.dist-info').mkdir()
    monkeypatch.setattr(sys, 'path', [str(tmp_path), str(tmp_path)])
    versions.cache_clear()
    try:
        found = versions()
    finally:
        versions.cache_clear()
    assert found['packages'] == 'Pillow-9 mmdet-3 torch-2.0'
    assert found.keys() == {'python', 'vitbackbones', 'packages', 'code'}
