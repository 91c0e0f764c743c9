"""The list of names."""

import pytest

from vitbackbones import create_model, list_models
from vitbackbones.backbones.names import MODELS
from vitbackbones.errors import OptionError
from vitbackbones.weights import PUBLISHED


def test_all_names_are_listed_in_order():
    assert list_models() == sorted(MODELS) == list_models('')


def test_patterns_choose_and_leave_out():
    assert list_models('tnt*') == ['tnt_b', 'tnt_s', 'tnt_s_legacy', 'tnt_s_se', 'tnt_ti']
    assert list_models(['tnt_?', 'pvt_t'], exclude_filters='*_b') == ['pvt_t', 'tnt_s']
    assert list_models('tnts*') == []


def test_those_with_weights_to_download_are_listed_alone():
    names = list_models(pretrained=True)
    assert list_models('deit_s*', pretrained=True) == ['deit_s', 'deit_s_distilled']
    assert 'aug_vit_s' not in names
    assert all(PUBLISHED[name].url for name in names)
    assert 'sret_t' in PUBLISHED
    assert 'sret_t' not in names


@pytest.mark.parametrize('tag', ['', '.fb_in1k'])
def test_a_name_of_timm_is_answered_with_ours(tag):
    with pytest.raises(OptionError, match=r"; create_model\('deit_s'\)"):
        create_model(f'deit_small_patch16_224{tag}')


@pytest.mark.parametrize('name', ['tf_efficientnet_lite0', 'tf_efficientnet_lite0.in1k'])
def test_a_network_of_timm_is_called_so(name):
    call = r"create_model\('timm:tf_efficientnet_lite0', checkpoint='tf_efficientnet_lite0'\)"
    with pytest.raises(OptionError, match=f'unknown model {name!r}; {call}'):
        create_model(name, pretrained=True)


@pytest.mark.parametrize('name', ['deit_base_patch16_384', 'deit_b_384'])
def test_a_name_of_weights_alone_is_answered_with_the_model_that_they_fill(name):
    call = r"create_model\('deit_b', img_size=384, checkpoint='deit_b_384'\)"
    with pytest.raises(OptionError, match=call):
        create_model(name, pretrained=True)
