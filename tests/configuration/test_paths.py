"""Relative paths: first the current directory, then the project."""

from pathlib import Path

from vitbackbones.configuration.paths import CLONE, candidates, is_remote, looked_in, resolve


def test_the_current_directory_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert resolve('configs') == CLONE / 'configs'
    (tmp_path / 'configs').mkdir()
    assert resolve('configs') == tmp_path / 'configs'


def test_what_is_nowhere_is_expected_in_the_current_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert resolve('data/none') == tmp_path / 'data' / 'none'
    assert looked_in('data/none') == f'{tmp_path}/data/none and {CLONE}/data/none'


def test_one_place_only(tmp_path, monkeypatch):
    assert candidates(tmp_path / 'x') == [tmp_path / 'x']
    assert candidates('~/x') == [Path.home() / 'x']
    monkeypatch.chdir(CLONE)
    assert candidates('x') == [CLONE / 'x']


def test_remote():
    assert is_remote('https://host/x.pth')
    assert is_remote(Path('s3://bucket/x.pth'))
    assert not is_remote('data/coco')
