"""Settings of the command line are applied, and all of them are checked."""

import pytest

from vitbackbones.configuration.read import read_config
from vitbackbones.errors import InputError
from vitbackbones.preparing.settings import check_settings, use_options

pytestmark = pytest.mark.compat


@pytest.fixture
def config():
    return read_config('quick_detector')


def test_options_and_a_backbone_are_applied(config):
    changes = {'model.backbone': 'timm:test_vit', 'train_cfg.max_iters': 3}
    changed = use_options(config, changes)
    assert changed.model.backbone.name == 'test_vit'
    assert changed.train_cfg.max_iters == 3
    assert config.train_cfg.max_iters == 2000
    assert config.model.backbone.get('name') != 'test_vit'


def test_widths_and_bands_are_filled_in(config):
    config.model.backbone.in_channels = 4
    config.model.data_preprocessor.update(mean=[1.5] * 4, std=[2.0] * 4)
    steps = [{'type': 'LoadImageFromFile'}, {'type': 'mmdet.PackDetInputs'}]
    for split in ('train', 'val', 'test'):
        config[f'{split}_dataloader'].dataset.pipeline = steps
    config.pop('tta_pipeline', None)
    checked = check_settings(config, {})
    assert checked.train_dataloader.dataset.pipeline[0].type == 'vitbackbones.LoadImage'
    assert checked.model.neck.in_channels


@pytest.mark.parametrize(
    ('change', 'message'),
    [
        ({'model.neck.no_such_key': 1}, 'no_such_key'),
        ({'train_cfg.max_iters': -1}, 'max_iters'),
        ({'default_hooks.checkpoint.save_best': 'nope'}, "'nope' is not a metric"),
    ],
)
def test_keys_values_and_their_agreement_are_checked(config, change, message):
    with pytest.raises(InputError, match=message):
        check_settings(use_options(config, change), change)


def test_variables_that_come_too_late_are_a_warning(config, capsys, monkeypatch):
    from vitbackbones.preparing import settings

    monkeypatch.setattr(settings, 'late_variables', lambda config: ['too late'])
    check_settings(config, {})
    assert 'warning: too late' in capsys.readouterr().err
