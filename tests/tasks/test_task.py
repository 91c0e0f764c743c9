"""What the tools ask of a task, and what a run imports for it."""

import subprocess
import sys

import pytest

from vitbackbones.tasks import TASKS, find_task

from ..test_rooms import PACKAGE, imported

ROOT = PACKAGE.parent


@pytest.mark.parametrize('scope', TASKS)
def test_a_task_is_found_by_the_default_scope(scope):
    assert find_task({'default_scope': scope}).scope == scope


@pytest.mark.parametrize('config', [{}, {'default_scope': None}, {'default_scope': 'mmpose'}])
def test_there_may_be_no_task(config):
    assert find_task(config) is None


def test_a_head_does_not_import_what_the_tools_need():
    """By the imports of all files that any module of a task but those of the tools leads to."""
    of_tools = ('task', 'agreement', 'browse', 'evaluators', 'levels', 'own_data')
    waiting = [file for file in PACKAGE.glob('tasks/*/*.py') if file.stem not in of_tools]
    seen = set()
    while waiting:
        file = waiting.pop()
        seen.add(file)
        for module in imported(file):
            places = (PACKAGE.joinpath(*module), PACKAGE.joinpath(*module).with_suffix('.py'))
            found = {place / '__init__.py' if place.is_dir() else place for place in places}
            waiting += [each for each in found if each.is_file() and each not in seen]
    rooms = {file.relative_to(PACKAGE).parts[0] for file in seen}
    assert {'tasks', 'layers'} <= rooms
    assert not rooms & {'inference', 'data'}


def test_a_detection_run_imports_nothing_of_the_other_tasks():
    """Nor what draws and writes predictions. mmdet itself imports mmpretrain if it is there."""
    options = ['tests/commands/tiny_detr.py', '--smoke', '--explain']
    command = [sys.executable, '-X', 'importtime', 'tools/train.py', *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    modules = [line.rpartition('|')[2].strip() for line in done.stderr.splitlines()]
    assert 'vitbackbones.tasks.detection.agreement' in modules  # by an import statement
    others = ('mmseg.models', 'vitbackbones.inference.drawing', 'vitbackbones.inference')
    others += ('vitbackbones.tasks.segmentation', 'vitbackbones.tasks.classification')
    assert [name for name in modules if name.startswith(others)] == []
