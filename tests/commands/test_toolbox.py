"""Scripts of the toolboxes, found and started as if Python had started them."""

import sys
from argparse import Namespace

import pytest

from vitbackbones.commands import toolbox as module
from vitbackbones.commands.toolbox import scripts, shortest, toolbox
from vitbackbones.configuration.names import config_files
from vitbackbones.errors import InputError
from vitbackbones.openmmlab.runs import NAMES, PREFIX, with_short_names

ECHO = """
import sys
import beside
print(__name__, *sys.argv[1:], sep='|')
sys.exit(3)
"""


@pytest.fixture
def echo(monkeypatch, tmp_path):
    """A toolbox of one script, which imports the file beside it."""
    (tmp_path / 'echo.py').write_text(ECHO)
    (tmp_path / 'beside.py').write_text('')
    monkeypatch.setattr(module, 'scripts', lambda: {'mmdet/echo': tmp_path / 'echo.py'})
    yield
    sys.modules.pop('beside', None)


def test_the_scripts_have_short_names_and_long_ones():
    found = scripts()
    assert found['mmdet/confusion_matrix'] == found['mmdet/analysis_tools/confusion_matrix']
    assert found['mmdet/browse_dataset'] != found['mmdet/analysis_tools/mot/browse_dataset']
    assert all(file.is_file() for file in found.values())
    listed = shortest(found)
    assert {found[name] for name in listed} == {*found.values()}
    assert {'mmseg/train', 'mmpretrain/vis_scheduler'} < {*listed}


def test_a_script_has_its_own_arguments_and_status(echo, capsys):
    before = sys.argv, list(sys.path)
    words = ['--work-dir', 'out', 'detr_aug_vit_s_coco', 'no_config']
    with pytest.raises(SystemExit) as stop:
        toolbox(Namespace(script='mmdet/echo', arguments=words))
    assert stop.value.code == 3
    config = config_files()['detr_aug_vit_s_coco']
    assert capsys.readouterr().out == f'__main__|--work-dir|out|{config}|no_config\n'
    assert (sys.argv, sys.path) == before


def test_a_package_that_a_script_lacks_is_named(echo, tmp_path):
    (tmp_path / 'echo.py').write_text('import no_such_package')
    with pytest.raises(InputError, match='mmdet/echo needs the package no_such_package, .* pip'):
        toolbox(Namespace(script='mmdet/echo', arguments=[]))


def test_a_name_without_a_script_is_refused_with_the_nearest():
    with pytest.raises(InputError, match="did you mean 'mmdet/confusion_matrix'"):
        toolbox(Namespace(script='mmdet/confusion_matrx', arguments=[]))


def test_styles_of_seaborn_have_their_short_names():
    dark, own = {'axes.grid': False}, {'axes.grid': True}
    library = {f'{PREFIX}{name}': dark for name in NAMES} | {'white': own}
    with_short_names(library)
    assert library['dark'] is dark
    assert library['white'] is own


def test_no_toolbox_is_one_message(monkeypatch):
    monkeypatch.setattr(module, 'TOOLBOXES', ('no_such_toolbox',))
    with pytest.raises(InputError, match='no toolbox is installed with its tools'):
        scripts()
