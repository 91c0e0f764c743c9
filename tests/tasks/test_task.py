"""What the tools ask of a task, and what a run imports for it."""

from vitbackbones.tasks import TASKS, find_task

from ..test_rooms import PACKAGE, imported


def test_a_task_is_found_by_the_default_scope():
    for scope in TASKS:
        assert find_task({'default_scope': scope}).scope == scope
    for config in ({}, {'default_scope': None}, {'default_scope': 'mmpose'}):
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
