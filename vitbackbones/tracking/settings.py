"""``train --track``: what it adds to a config, and what is looked for before the run."""

import copy
from collections.abc import Collection

from mmengine.config import Config

from ..processes import process_rank
from ..registry import SCOPE
from .hook import TRACKERS, tracker_class

PAGE = 'page'  # the local page alone, which every tracked run has
# By their names among the default hooks, where a config can change or remove (None) them.
HOOKS = {'track': 'TrackHook', 'pictures': 'PicturesHook', 'run_page': 'RunPageHook'}


def follow(config: Config, wanted: Collection[str]) -> Config:
    """Return a copy of a config whose run is followed.

    Args:
        config: of a training.
        wanted: trackers, by name, or :data:`PAGE`; if there is none, the config stays as it is.
    """
    if not wanted:
        return config
    config = copy.deepcopy(config)
    config.setdefault('default_hooks', {})  # which returns a copy of it
    hooks = config.default_hooks
    for name, kind in HOOKS.items():
        hooks.setdefault(name, {'type': f'{SCOPE}.{kind}'})
    hooks['track'] = {
        **(hooks['track'] or {'type': f'{SCOPE}.{HOOKS["track"]}'}),
        'trackers': [name for name in TRACKERS if name in wanted],
    }
    return config


def require_trackers(config: Config) -> None:
    """Look for the packages, logins and servers of a config's trackers, on the first process.

    Raises:
        InputError: one is missing.
    """
    hook = (config.get('default_hooks') or {}).get('track') or {}
    for name in hook.get('trackers', ()) if process_rank() == 0 else ():
        tracker_class(name).require()
