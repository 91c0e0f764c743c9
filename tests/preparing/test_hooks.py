"""The hooks that every run gets; the commands that use them are tried beside ``commands``."""

import pytest
from mmengine.config import Config

from vitbackbones.preparing.hooks import GUARDS, add_guards, add_hooks, add_service_hooks
from vitbackbones.registry import HOOKS

from ..training.toy import toy_config

pytestmark = pytest.mark.compat


def test_a_config_gets_the_guards_that_it_does_not_choose_itself(tmp_path):
    own = {'type': 'vitbackbones.FiniteLossHook', 'skip': 3}
    config = toy_config(tmp_path, default_hooks={'finite_loss': own, 'unreadable_images': None})
    for _ in range(2):  # a dump of an earlier run has them
        config = add_guards(config)
        assert config.default_hooks.exact_resume == {'type': 'vitbackbones.ExactResumeHook'}
        assert config.default_hooks.finite_loss == own
        assert config.default_hooks.unreadable_images is None
        assert config.custom_hooks == [{'type': 'vitbackbones.InterruptHook'}]


@pytest.mark.parametrize(
    'name', ['CoefficientsHook', 'LogFolderHook', 'PicturesHook', 'ProgressHook', 'RunPageHook']
)
def test_hooks_in_dumps_of_earlier_runs_are_known(name):
    HOOKS.build({'type': f'vitbackbones.{name}', 'count': 4})


def test_a_hook_with_new_options_replaces_the_one_of_an_earlier_run(tmp_path):
    before = toy_config(tmp_path, custom_hooks=[{'type': 'EMAHook'}])
    config = add_hooks(before, 'FittingCheckpointHook', path='a.pth')
    config = add_hooks(config, 'FittingCheckpointHook', path='b.pth')
    added = {'type': 'vitbackbones.FittingCheckpointHook', 'path': 'b.pth'}
    assert config.custom_hooks == [{'type': 'EMAHook'}, added]
    assert before.custom_hooks == [{'type': 'EMAHook'}]


def test_checkpoints_are_written_by_the_hook_of_this_package(tmp_path):
    kinds = {'CheckpointHook': 'vitbackbones.CheckpointHook', 'SomeonesHook': 'SomeonesHook'}
    for given, kind in {**kinds, None: None}.items():
        checkpoint = given and {'type': given, 'interval': 3}
        config = add_service_hooks(toy_config(tmp_path, default_hooks={'checkpoint': checkpoint}))
        assert config.default_hooks.checkpoint == (kind and {'type': kind, 'interval': 3})
    hooks = add_service_hooks(add_guards(Config())).default_hooks
    assert {*GUARDS, 'checkpoint'} == hooks.keys()
