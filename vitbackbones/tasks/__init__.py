"""What differs between detection, segmentation and classification, each in a folder of its own.

A folder has the heads, necks and losses of its task, which configs name, and ``task.py`` with its
:class:`~vitbackbones.tasks.task.Task`, which tells the tools all that they have to know of it. A
fourth task is one such folder and one line in :data:`TASKS`.
"""

from collections.abc import Mapping
from importlib import import_module

from .task import Task

# By the ``default_scope`` of a config, which is the toolbox that the task runs in: the folder, and
# in lower case the class.
TASKS = {'mmdet': 'detection', 'mmseg': 'segmentation', 'mmpretrain': 'classification'}


def find_task(config: Mapping) -> Task | None:
    """Return the task of a config, None if :data:`TASKS` has no such scope; import no other one."""
    name = TASKS.get(str(config.get('default_scope')))
    if name is None:
        return None
    module = import_module(f'.{name}.task', __package__)
    return getattr(module, name.capitalize())()
