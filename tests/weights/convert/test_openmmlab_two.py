"""Checkpoints of mmdet 2, mmseg 0 and mmcls, by files in their layout."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch
from mmengine.config import Config
from mmengine.runner import CheckpointLoader, load_checkpoint

import vitbackbones
from tests.openmmlab.conftest import HERE, build, write_model
from vitbackbones.errors import InputError
from vitbackbones.openmmlab.on_meta import build_on_meta
from vitbackbones.training.hooks.fitting_checkpoint import fitting_state
from vitbackbones.weights.convert import FORMATS, find_format
from vitbackbones.weights.downloads import load_anywhere
from vitbackbones.weights.read.class_names import checkpoint_meta

CONFIGS = Path(find_spec('mmdet').origin).parent / '.mim' / 'configs'
# By a config of mmdet 3: how its keys begin, and how they began in version 2.
SELF_FIRST = {'self_attn': 'attentions.0', 'cross_attn': 'attentions.1', '.ffn.': '.ffns.0.'}
CROSS_FIRST = {'cross_attn': 'attentions.0', 'self_attn': 'attentions.1', '.ffn.': '.ffns.0.'}
TRANSFORMER = {
    'encoder.': 'bbox_head.transformer.encoder.',
    'decoder.': 'bbox_head.transformer.decoder.',
    'query_embedding.': 'bbox_head.query_embedding.',
    'level_embed': 'bbox_head.transformer.level_embeds',
    'reference_points_fc.': 'bbox_head.transformer.reference_points.',
    'memory_trans_fc.': 'bbox_head.transformer.enc_output.',
    'memory_trans_norm.': 'bbox_head.transformer.enc_output_norm.',
    'pos_trans_fc.': 'bbox_head.transformer.pos_trans.',
    'pos_trans_norm.': 'bbox_head.transformer.pos_trans_norm.',
}
DETR = {'neck.convs.0.conv.': 'bbox_head.input_proj.'}
MODELS = {
    'detr/detr_r50_8xb2-150e_coco.py': (TRANSFORMER | DETR, SELF_FIRST),
    'deformable_detr/deformable-detr_r50_16xb2-50e_coco.py': (TRANSFORMER, SELF_FIRST),
    'deformable_detr/deformable-detr-refine-twostage_r50_16xb2-50e_coco.py': (
        TRANSFORMER,
        SELF_FIRST,
    ),
    'maskformer/maskformer_r50_ms-16xb1-75e_coco.py': ({}, SELF_FIRST),
    'mask2former/mask2former_r50_8xb2-lsj-50e_coco-panoptic.py': ({}, CROSS_FIRST),
}


def in_version_two(key, beginnings, parts):
    """Return a key of mmdet 3 as it was in mmdet 2."""
    begin = next((each for each in beginnings if key.startswith(each)), '')
    if begin:
        key = beginnings[begin] + key.removeprefix(begin)
    if '.pixel_decoder.' in key:
        parts = SELF_FIRST
    head, layers, rest = key.partition('.layers.')
    if 'backbone' in key or not layers:
        return key
    for new, old in parts.items():
        rest = rest.replace(new, old)
    return head + layers + rest


@pytest.mark.parametrize('name', MODELS)
def test_transformers_have_the_keys_of_version_three(name):
    model = build_on_meta(Config.fromfile(CONFIGS / name).model, 'mmdet')
    own = model.state_dict()
    old = {in_version_two(key, *MODELS[name]): value for key, value in own.items()}
    assert old.keys() != own.keys()
    converted = FORMATS[find_format(old)].convert(old)
    assert {*converted} == {*own}
    assert all(converted[key] is value for key, value in own.items())
    assert find_format(own) == 'native'


def test_known_keys_of_version_two():
    # as in the published files of DETR and Mask2Former
    state = dict.fromkeys(
        (
            'bbox_head.transformer.encoder.layers.0.norms.0.weight',
            'bbox_head.transformer.decoder.layers.5.attentions.1.attn.in_proj_weight',
            'bbox_head.transformer.decoder.layers.5.ffns.0.layers.0.0.bias',
            'bbox_head.fc_cls.weight',
        )
    )
    assert [*FORMATS[find_format(state)].convert(state)] == [
        'encoder.layers.0.norms.0.weight',
        'decoder.layers.5.cross_attn.attn.in_proj_weight',
        'decoder.layers.5.ffn.layers.0.0.bias',
        'bbox_head.fc_cls.weight',
    ]
    state = dict.fromkeys(
        (
            'decode_head.query_feat.weight',
            'decode_head.transformer_decoder.layers.0.attentions.0.attn.in_proj_weight',
            'decode_head.pixel_decoder.encoder.layers.0.attentions.0.value_proj.bias',
        )
    )
    assert [*FORMATS[find_format(state)].convert(state)][1:] == [
        'decode_head.transformer_decoder.layers.0.cross_attn.attn.in_proj_weight',
        'decode_head.pixel_decoder.encoder.layers.0.self_attn.value_proj.bias',
    ]


@pytest.mark.parametrize('size', [300, 512])
def test_the_extra_layers_of_ssd_were_a_part_of_its_backbone(size):
    model = build_on_meta(Config.fromfile(CONFIGS / f'ssd/ssd{size}_coco.py').model, 'mmdet')
    own = model.state_dict()
    old = {}
    for key, value in own.items():
        parts = key.split('.')
        if parts[:2] == ['neck', 'extra_layers']:
            key = f'backbone.extra.{2 * int(parts[2]) + int(parts[3])}.{parts[5]}'
        elif parts[0] == 'bbox_head':
            key = '.'.join([*parts[:3], parts[4]])
        old[key.replace('neck.l2_norm', 'backbone.l2_norm')] = value
    assert 'bbox_head.reg_convs.5.bias' in old
    assert f'backbone.extra.{7 if size == 300 else 9}.weight' in old
    converted = FORMATS[find_format(old)].convert(old)
    assert {*converted} == {*own}
    assert all(converted[key] is value for key, value in own.items())
    assert find_format(own) == 'native'


# ------------------------------------------------------------------------ files


def to_version_two(path, added):
    """Turn a checkpoint into one as mmcv's runners wrote it, with tensors of ``added`` names."""
    content = torch.load(path, weights_only=False)
    names = content['meta']['dataset_meta']
    meta = {'mmdet_version': '2.28.2', 'config': 'model = dict()', 'epoch': 12, 'iter': 99}
    meta |= {'CLASSES': tuple(names['classes']), 'PALETTE': names.get('palette'), 'hook_msgs': {}}
    state = content['state_dict'] | {key: torch.zeros(1) for key in added}
    torch.save(
        {'meta': meta, 'state_dict': state, 'optimizer': {}},
        path,
        _use_new_zipfile_serialization=False,
    )


@pytest.mark.parametrize('task', ['det', 'seg', 'cls'])
def test_a_file_of_mmcvs_runner_predicts_with_its_classes(task, tmp_path):
    picture = np.random.default_rng(0).integers(0, 256, (50, 80, 3), np.uint8)
    write_model(HERE / f'tiny_{task}.py', tmp_path)
    config = tmp_path / f'tiny_{task}.py'
    file = tmp_path / f'tiny_{task}.pth'
    with vitbackbones.open_model(config, file, runtime='torch') as model:
        wanted = model.predict(picture)[0]
        names = model.classes
    to_version_two(file, added=['ema_backbone_conv1_weight'])
    with vitbackbones.open_model(config, file, runtime='torch') as model:
        found = model.predict(picture)[0]
        assert model.classes == names
    for name, value in vars(wanted).items():
        np.testing.assert_array_equal(getattr(found, name), value)
    target = build(Config.fromfile(config))  # what load_from does
    load_checkpoint(target, str(file))
    assert all(key in load_anywhere(file)['state_dict'] for key in target.state_dict())


def test_swin_of_mmcls_has_one_norm_and_masks_of_windows():
    folder = Path(find_spec('mmpretrain').origin).parent / '.mim' / 'configs'
    config = Config.fromfile(folder / 'swin_transformer/swin-tiny_16xb64_in1k.py')
    model = build_on_meta(config.model, 'mmpretrain')
    state = {key: torch.zeros(value.shape) for key, value in model.state_dict().items()}
    old = {key.replace('backbone.norm3.', 'backbone.norm.'): x for key, x in state.items()}
    old |= {'backbone.stages.0.blocks.1.attn_mask': torch.zeros(64, 49, 49)}
    assert fitting_state('x.pth', model, old).keys() == state.keys()


def test_parts_rename_their_own_old_keys():
    config = Config.fromfile(CONFIGS / 'fcos/fcos_r50-caffe_fpn_gn-head_1x_coco.py')
    model = build_on_meta(config.model, 'mmdet')
    state = {key: torch.zeros(value.shape) for key, value in model.state_dict().items()}
    old = {key.replace('bbox_head.conv_', 'bbox_head.fcos_'): x for key, x in state.items()}
    assert old.keys() != state.keys()
    assert fitting_state('x.pth', model, old).keys() == state.keys()


def test_classes_have_other_names_in_files_of_other_versions():
    for meta in ({'CLASSES': ('a', 'b')}, {'dataset_meta': {'CLASSES': ('a', 'b')}}):
        assert checkpoint_meta({'meta': meta})['classes'] == ('a', 'b')


@pytest.mark.parametrize(
    ('address', 'end'),
    [
        ('torchvision://resnet50', '.pth'),
        ('open-mmlab://detectron2/resnet50_caffe', 'resnet50_msra-5891d200.pth'),
        ('openmmlab://regnetx_800mf', '.pth'),
        ('mmcls://resnet50', '.pth'),
        (
            'https://download.openmmlab.com/mmdetection/v2.0/x/x_20200130-047c8118.pth',
            '047c8118.pth',
        ),
    ],
)
def test_addresses_of_openmmlab_lead_to_a_file_that_is_read_safely(
    address, end, tmp_path, monkeypatch
):
    asked = []

    def fetch(url, folder=None, sha256=None, progress=True):
        asked.append(url)
        return tmp_path / 'x.pth'

    torch.save(
        {'state_dict': {'backbone.conv1.weight': torch.ones(2)}, 'meta': {}}, tmp_path / 'x.pth'
    )
    monkeypatch.setattr('vitbackbones.weights.downloads.fetch_url', fetch)
    for load in (load_anywhere, CheckpointLoader.load_checkpoint):
        ((key, value),) = load(address)['state_dict'].items()
        assert key.removeprefix('backbone.') == 'conv1.weight'  # mmcls:// leaves the prefix out
        assert value.tolist() == [1, 1]
    assert len(asked) == 2
    assert all(url.startswith('http') and url.endswith(end) for url in asked)


@pytest.mark.parametrize('name', ['faster_rcnn', 'cascade_rcnn', 'mask_rcnn'])
def test_a_two_stage_detector_of_mmdet_one_is_refused_with_the_script_that_converts_it(name):
    config = Config.fromfile(CONFIGS / name / f'{name.replace("_", "-")}_r50_fpn_1x_coco.py')
    model = build_on_meta(config.model, 'mmdet')
    state = {key: torch.zeros(value.shape) for key, value in model.state_dict().items()}
    assert fitting_state('x.pth', model, state).keys() == state.keys()
    old = {key.removeprefix('roi_head.'): value for key, value in state.items()}
    with pytest.raises(InputError) as error:
        fitting_state('x.pth', model, {'state_dict': old, 'meta': {'mmdet_version': '1.1.0'}})
    (line,) = str(error.value).splitlines()
    assert line.startswith('x.pth')
    assert 'it is a detector of mmdet 1' in line
    assert 'upgrade_model_version.py' in line
