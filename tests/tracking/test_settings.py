"""What ``--track`` adds to a config."""

import pytest
from mmengine.config import Config

from vitbackbones.errors import InputError
from vitbackbones.tracking import settings
from vitbackbones.tracking.settings import follow, require_trackers

from .test_hook import Notes

KINDS = {'track': 'TrackHook', 'pictures': 'PicturesHook', 'run_page': 'RunPageHook'}

pytestmark = pytest.mark.compat


def test_hooks_are_added_and_those_of_the_config_kept():
    own = {'pictures': {'type': 'vitbackbones.PicturesHook', 'count': 9}, 'run_page': None}
    config = Config({'default_hooks': own, 'visualizer': {'type': 'Any'}})
    hooks = follow(config, ['wandb', 'tensorboard']).default_hooks
    assert hooks.track == {
        'type': 'vitbackbones.TrackHook',
        'trackers': ['tensorboard', 'wandb'],
    }
    assert {name: hooks[name] for name in own} == own
    assert 'track' not in config.default_hooks


def test_the_page_alone_needs_no_tracker():
    hooks = follow(Config(), ['page']).default_hooks
    assert {name: hook.type.removeprefix('vitbackbones.') for name, hook in hooks.items()} == KINDS
    assert hooks.track.trackers == []
    require_trackers(Config({'default_hooks': hooks}))


def test_nothing_is_added_where_nothing_is_wanted():
    config = Config({'default_hooks': {}})
    assert follow(config, ()) is config
    require_trackers(config)
    require_trackers(Config())


def test_trackers_of_a_config_are_looked_for_on_the_first_process(monkeypatch):
    monkeypatch.setattr(settings, 'tracker_class', lambda name: Notes)
    config = follow(Config(), ['mlflow'])
    with pytest.raises(InputError, match='notes: no paper'):
        require_trackers(config)
    monkeypatch.setenv('RANK', '1')
    require_trackers(config)
