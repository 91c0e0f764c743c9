"""SETR configs of Shapes and CamVid: header, keys, classes, sizes, and that the pair is a pair."""

import ast
import fnmatch

import pytest
import torch
from mmengine.config import Config
from mmengine.registry import DefaultScope
from mmseg.registry import MODELS
from mmseg.utils import register_all_modules

from vitbackbones.configuration.checks.agreement import require_agreement
from vitbackbones.configuration.checks.num_classes import check_classes
from vitbackbones.configuration.lint import lint
from vitbackbones.configuration.names import config_files, shown_path
from vitbackbones.data import shapes
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


@pytest.fixture(autouse=True)
def scope():
    register_all_modules(init_default_scope=False)
    with DefaultScope.overwrite_default_scope('mmseg'):
        yield


def load(name):
    return Config.fromfile(config_files()[name])


def test_they_are_there():
    assert {'setr_mla_msf_vit_ti_shapes', *sum(PAIRS, ())} <= set(NAMES)


@pytest.mark.parametrize('name', NAMES)
def test_header(name):
    header = ast.get_docstring(ast.parse(config_files()[name].read_text()))
    assert header.splitlines()[0].endswith('.')
    assert f'python tools/train.py {shown_path(name)}' in header
    assert 'Hardware:' in header


@pytest.mark.parametrize('name', NAMES)
def test_every_key_and_type_is_known_and_classes_agree(name):
    config = load(name)
    lint(config)
    require_agreement(config)
    check_classes(config, ('train', 'val', 'test'))
    loaders = [step for step in config.train_pipeline if step.type == 'vitbackbones.LoadMask']
    loaders += [step for step in config.test_pipeline if step.type == 'vitbackbones.LoadMask']
    assert [step.num_classes for step in loaders] == [config.model.decode_head.num_classes] * 2
    assert len(config.metainfo.palette) == len(config.metainfo.classes)


@pytest.mark.parametrize('name', NAMES)
def test_backbone_neck_and_heads_fit(name):
    config = load(name)
    with torch.device('meta'):
        model = MODELS.build(config.model).eval()
        size = config.model.data_preprocessor.size
        logits = model.encode_decode(torch.empty(2, 3, *size), [{'img_shape': size}] * 2)
    assert model.neck.strides == model.backbone.out_strides
    assert logits.shape == (2, config.model.decode_head.num_classes, *size)


def test_the_classes_of_shapes():
    config = load('setr_mla_msf_vit_ti_shapes')
    assert config.metainfo.classes == (shapes.GROUND, *shapes.KINDS)
    assert all(
        config[f'{split}_dataloader'].dataset.reduce_zero_label for split in ('train', 'val')
    )


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
