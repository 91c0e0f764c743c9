"""What differs between detection, segmentation and classification, each in a folder of its own.

A folder has the heads, necks and losses of its task, which configs name, and ``task.py`` with its
:class:`~vitbackbones.tasks.task.Task`, which tells the tools all that they have to know of it. A
fourth task is one such folder, one line in :data:`TASKS` and one in :func:`find_task`.
"""

from collections.abc import Mapping

from .task import Task

# By the ``default_scope`` of a config, which is the toolbox that the task runs in: the folder.
TASKS = {'mmdet': 'detection', 'mmseg': 'segmentation', 'mmpretrain': 'classification'}


def find_task(config: Mapping) -> Task | None:
    """Return the task of a config, None if :data:`TASKS` has no such scope; import no other one."""
    scope = config.get('default_scope')
    if scope == 'mmdet':
        from .detection.task import Detection

        return Detection()
    if scope == 'mmseg':
        from .segmentation.task import Segmentation

        return Segmentation()
    if scope == 'mmpretrain':
        from .classification.task import Classification

        return Classification()
    return None
