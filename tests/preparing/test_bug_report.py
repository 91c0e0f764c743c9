"""What is kept of an error that nobody foresaw."""

import os
import tempfile
from pathlib import Path

import pytest
from mmengine.config import Config

from vitbackbones.preparing.bug_report import write_report
from vitbackbones.version import __version__


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    folder = tmp_path / 'temporary'
    folder.mkdir()
    monkeypatch.setattr(tempfile, 'tempdir', str(folder))
    return folder


def error_of(settings):
    """An error of a function that holds a config."""

    def run(config):
        raise KeyError(config is None)

    try:
        run(settings)
    except KeyError as error:
        return error


def make(work_dir, text='of the error'):
    return Config({'work_dir': work_dir, 'note': text})


def test_a_report_lies_in_the_work_dir_and_holds_what_is_needed(tmp_path):
    file = write_report(error_of(make(str(tmp_path))))
    assert file.parent == tmp_path
    assert file.name.startswith('error_')
    assert file.name.endswith(f'_{os.getpid()}.txt')
    text = file.read_text()
    assert text.startswith('Traceback')
    for part in ('KeyError: False', '\ncommand: ', '\non: ', f'vitbackbones {__version__}\n'):
        assert part in text
    assert "'note': 'of the error'" in text


def test_a_config_that_is_given_counts(tmp_path):
    file = write_report(error_of(make(str(tmp_path / 'a'))), make(str(tmp_path), 'as given'))
    assert file.parent == tmp_path
    assert "'note': 'as given'" in file.read_text()


@pytest.mark.parametrize('config', [None, make('/proc/nowhere'), make(None), Config({'note': 1})])
def test_without_a_work_dir_it_is_temporary(temporary, config):
    file = write_report(error_of(config))
    assert file.parent.parent == temporary
    assert file.parent.name.startswith('vitbackbones_')
    assert ('no config was read' in file.read_text()) is (config is None)


def test_no_config_where_mmengine_was_never_imported(temporary, monkeypatch, tmp_path):
    monkeypatch.delitem(__import__('sys').modules, 'mmengine.config')
    file = write_report(error_of(make(str(tmp_path))))
    assert 'no config was read' in Path(file).read_text()


def test_an_error_that_names_a_file_in_another_encoding_is_reported():
    name = os.fsdecode(b'\xff\xe4.jpg')
    assert ascii(name)[1:-1] in write_report(ValueError(f'{name}: 猫')).read_text('utf-8')
