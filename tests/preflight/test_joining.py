"""A head's base without the line that joins it to a backbone is named with the line."""

import re
from pathlib import Path

import pytest
from mmengine.config import Config

from vitbackbones.configuration.settings import value_at
from vitbackbones.errors import InputError
from vitbackbones.preflight.joining import unjoined
from vitbackbones.preflight.trial import try_model

pytestmark = pytest.mark.compat
BASES = Path(__file__).parents[2] / 'configs' / '_base_'
MODELS = {path.stem: Config.fromfile(path).get('model') for path in BASES.glob('models/*.py')}
HEADS = [
    name
    for name, model in sorted(MODELS.items())
    if str(value_at(model, 'neck.type')).startswith('vitbackbones.')
]


def joined(tmp_path, head, line, backbone='deit_small'):
    """Return the config of a head's base, a backbone's and a line."""
    path = tmp_path / 'config.py'
    bases = [f'{BASES}/models/{head}.py', f'{BASES}/backbones/{backbone}.py']
    path.write_text(f"_base_ = {bases}\ndefault_scope = 'mmseg'\nmodel = dict({line})\n")
    return Config.fromfile(path)


@pytest.mark.parametrize('head', HEADS)
def test_every_base_with_a_neck_asks_for_the_maps(head):
    (finding,) = unjoined(Config({'model': MODELS[head]}))
    assert re.match(r'model.neck: in_channels (and in_strides are|is) missing; set them', finding)


def test_the_missing_half_of_the_line_is_named(tmp_path):
    config = joined(tmp_path, 'upernet_small', 'backbone=_base_.backbone')
    with pytest.raises(InputError, match='missing; add neck=_base_.maps beside backbone=_base_.ba'):
        try_model(config)


@pytest.mark.parametrize('backbone', ['deit_small', 'pvt_small', 'sret_small'])
@pytest.mark.parametrize('head', ['setr_naive', 'setr_pup'])
@pytest.mark.parametrize('neck', ['', ', neck=_base_.maps'])
def test_the_line_of_a_head_without_a_neck_is_named_and_enough(tmp_path, head, backbone, neck):
    config = joined(tmp_path, head, f'backbone=_base_.backbone{neck}', backbone)
    with pytest.raises(
        InputError, match='leave it out and set' if neck else 'is missing; set'
    ) as e:
        try_model(config)
    widths = re.search(r'set (decode_head=.*)', str(e.value))[1]
    try_model(joined(tmp_path, head, f'backbone=_base_.backbone, {widths}', backbone))


def test_setr_mla_takes_the_maps_of_four_blocks_of_a_plain_host(tmp_path):
    maps = ', '.join(f'{key}=_base_.maps.{key} * 4' for key in ('in_channels', 'in_strides'))
    line = f'backbone=_base_.backbone, neck=dict({maps})'
    try_model(joined(tmp_path, 'setr_mla_small', line))


def test_without_a_backbones_file_the_width_is_left_to_the_reader():
    (finding,) = unjoined(Config({'model': MODELS['setr_pup']}))
    assert 'decode_head=dict(in_channels=(width of the backbone))' in finding
