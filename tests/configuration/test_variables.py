"""Variables that an inheriting file sets too late."""

import pytest

from vitbackbones.configuration.names import config_files
from vitbackbones.configuration.read import read_config
from vitbackbones.configuration.variables import late_variables

BASE = "_base_ = 'vitbackbones::own/quick_detector.py'\n"


def said(tmp_path, text):
    (tmp_path / 'own.py').write_text(text)
    return late_variables(read_config(tmp_path / 'own.py'))


def test_a_variable_that_the_base_has_used_is_named(tmp_path):
    (line,) = said(tmp_path, BASE + 'scale = (640, 640)\n')
    assert 'own.py: scale has no effect here, because quick_detection.py has already' in line


@pytest.mark.parametrize(
    'text',
    ['scale = (640, 640)\nwork_dir = str(scale)\n', 'mine = 3\n', 'randomness = dict(seed=1)\n'],
)
def test_what_a_file_uses_itself_or_alone_is_left_alone(tmp_path, text):
    assert not said(tmp_path, BASE + text)


@pytest.mark.parametrize('name', [n for n in config_files() if 'camvid' in n or 'quick' in n])
def test_shipped_configs_have_none(name):
    assert not late_variables(read_config(config_files()[name]))


def test_configs_that_are_no_python_are_left_alone(tmp_path):
    (tmp_path / 'own.json').write_text('{"scale": 3}')
    assert not late_variables(read_config(tmp_path / 'own.json'))
