"""Default hooks that a config takes out."""

import pytest

from vitbackbones.configuration.checks.added_hooks import GUARDS, add_guards
from vitbackbones.training.console import build_runner

from ..toy import toy_config

pytestmark = pytest.mark.compat
OUT = {'timer', *GUARDS}  # one of mmengine's, and ours
WITH_STRATEGY = {'strategy': {'type': 'SingleDeviceStrategy'}, 'env_cfg': {}}


@pytest.mark.parametrize('changes', [{}, WITH_STRATEGY], ids=['runner', 'strategy'])
def test_none_takes_a_default_hook_out(tmp_path, changes):
    config = toy_config(tmp_path, default_hooks=dict.fromkeys(OUT), **changes)
    runner = build_runner(add_guards(config))
    kinds = {type(hook).__name__ for hook in runner.hooks}
    assert kinds.isdisjoint({'IterTimerHook', *GUARDS.values()})
    assert 'ParamSchedulerHook' in kinds
    assert runner.cfg.default_hooks.curves is None  # a resumed run reads it from the dump
