"""A name is found, or the message has the nearest."""

import pytest

from vitbackbones.commands.weights.weights import matching, table
from vitbackbones.errors import InputError
from vitbackbones.weights import DETECTORS
from vitbackbones.weights.by_name import find, is_name, name_of
from vitbackbones.weights.table import find_detector


def test_a_name_and_a_file_are_told_apart():
    assert all(is_name(text) for text in ('deit_s', 'deit-s', 'resnet50'))
    assert not any(is_name(text) for text in ('a.pth', 'a/b', 'hf-hub:a/b', 'C:\\a', 'https://a'))


def test_a_misspelled_name_gets_the_nearest():
    with pytest.raises(InputError, match=r"deit_z: no such file, and .*did you mean 'deit_"):
        find('deit_z')


def test_what_nothing_is_near_to_is_to_be_trained():
    with pytest.raises(InputError, match='msf_vit_s: its weights were never published; train'):
        find('msf_vit_s')


def test_a_file_is_called_after_its_weights():
    assert name_of('checkpoints/aug_vit_s.pth') == 'aug_vit_s'
    assert name_of('anywhere/resnet50-0676ba61.pth') == 'resnet50'
    assert name_of('81.5_T2T_ViT_14.pth.tar') == 't2t_14'
    assert name_of('mine.pth') is None
    assert name_of('hf-hub:timm/tnt_s_patch16_224.in1k') == 'tnt_s'
    assert name_of('hf-hub:timm/deit_base_patch16_384.fb_in1k@main:model.safetensors') == (
        'deit_b_384'
    )
    assert name_of('hf-hub:mine/tnt_s') is None


def test_a_detector_is_found_by_its_name_and_by_its_config():
    assert find('detr_r50') is find('detr_r50_coco') is DETECTORS['detr_r50']
    assert find('detr_r101').options == 'model.backbone.depth=101'
    assert find_detector('detr_pvt_s_coco') is None
    with pytest.raises(InputError, match="did you mean 'detr_r50'"):
        find('detr_r5')


def test_the_command_lists_detectors_with_their_ap():
    line = table(matching(['detr_r50']))
    assert line.split()[:3] == ['detr_r50', '42.0', 'apache-2.0']
    assert line.endswith(DETECTORS['detr_r50'].url)
