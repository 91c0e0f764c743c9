"""SETR configs of Shapes and CamVid: their classes, and that a pair is a pair."""

import fnmatch

import pytest
from mmengine.config import Config

from vitbackbones.configuration.names import config_files
from vitbackbones.data.loading.load_mask import IGNORED, label_table

pytestmark = pytest.mark.compat
NAMES = sorted(
    name
    for data in ('shapes', 'camvid')
    for name in fnmatch.filter(config_files(), f'setr_*_{data}')
)
PAIRS = [
    ('setr_mla_msf_vit_s_camvid', 'setr_mla_simple_vit_s_camvid'),
    ('setr_mla_msf_vit_ti_camvid', 'setr_mla_simple_vit_ti_camvid'),
]


def load(name):
    return Config.fromfile(config_files()[name])


@pytest.mark.parametrize('name', NAMES)
def test_masks_and_colors_have_the_classes_of_the_head(name):
    config = load(name)
    steps = [*config.train_pipeline, *config.test_pipeline]
    loaders = [step for step in steps if step.type == 'vitbackbones.LoadMask']
    assert [step.num_classes for step in loaders] == [config.model.decode_head.num_classes] * 2
    assert len(config.metainfo.palette) == len(config.metainfo.classes)


@pytest.mark.parametrize('name', sum(PAIRS, ()))
def test_void_of_camvid_is_ignored(name):
    step = next(step for step in load(name).train_pipeline if 'ignored' in step)
    table = label_table(step.num_classes, ignored=step.ignored)
    assert table[11] == IGNORED
    assert table[:11].tolist() == list(range(11))


@pytest.mark.parametrize(('mean_shift', 'plain'), PAIRS)
def test_a_pair_differs_in_the_attention_only(mean_shift, plain):
    first, second = (load(name)._cfg_dict.to_dict() for name in (mean_shift, plain))
    pair = [config['model'].pop('backbone') for config in (first, second)]
    assert first == second
    assert [part.pop('type') for part in pair] == ['vitbackbones.MSFViT', 'vitbackbones.SimpleViT']
    starts = [part.pop('init_cfg', {}).get('checkpoint') for part in pair]
    assert starts in (['checkpoints/msf_vit_s.pth', 'checkpoints/simple_vit_s.pth'], [None, None])
    assert pair[0] == pair[1]
