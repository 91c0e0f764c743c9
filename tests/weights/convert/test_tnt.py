"""TNT's layouts: equality with timm on random weights, and refusal of the other form."""

import pytest
import torch

from tests.golden.fill import fill_state_dict, load
from vitbackbones import create_model
from vitbackbones.errors import InputError
from vitbackbones.weights.convert import convert

from .random_weights import assert_same_logits, randomize

NAMES = {'tnt_s_patch16_224': 'tnt_s', 'tnt_s_legacy_patch16_224': 'tnt_s_legacy'}
FORMS = {
    'tnt_s': "stem='unfold', projection='patch'",
    'tnt_s_legacy': "stem='conv', projection='pixel'",
}


@pytest.fixture(params=NAMES)
def pair(request):
    """timm's model and the name of the same here."""
    timm = pytest.importorskip('timm')
    model = timm.create_model(request.param, num_classes=10, img_size=64)
    return randomize(model), NAMES[request.param]


def test_timms_weights_give_timms_logits(pair, tmp_path):
    theirs, name = pair
    ours = create_model(name, num_classes=10, img_size=64)
    assert_same_logits(theirs, ours, tmp_path, 'timm_tnt')


def test_a_file_of_the_other_form_is_refused_and_described(pair, tmp_path):
    theirs, name = pair
    torch.save(theirs.state_dict(), tmp_path / 'tnt.pth')
    (other,) = set(FORMS) - {name}
    with pytest.raises(InputError, match=FORMS[name]):
        create_model(other, num_classes=10, checkpoint=tmp_path / 'tnt.pth')


def test_the_authors_unused_tokens_are_dropped_and_all_else_is_kept():
    published = fill_state_dict(load('tnt_s_noah'))
    converted, layout = convert(published)
    assert layout == 'tnt'
    assert not any('outer_tokens' in key for key in converted)
    unused = published['outer_tokens'].numel()
    count = sum(value.numel() for value in converted.values())
    assert count == sum(value.numel() for value in published.values()) - unused
    pixel = published['inner_pos'][0, 4 * 2 + 3]
    assert torch.equal(converted['pixel_pos'][0, :, 2, 3], pixel)


def test_squeeze_and_excitation_of_the_authors_layout():
    gate = {
        f'blocks.3.se_layer.fc.{layer}.{kind}': torch.tensor([float(i)])
        for i, (layer, kind) in enumerate((n, k) for n in (0, 1, 3) for k in ('weight', 'bias'))
    }
    converted, _ = convert(gate, 'tnt')
    names = [f'{part}.{kind}' for part in ('norm', 'fc1', 'fc2') for kind in ('weight', 'bias')]
    wanted = {f'blocks.3.outer.mlp.se.{name}': float(i) for i, name in enumerate(names)}
    assert {key: value.item() for key, value in converted.items()} == wanted
    assert wanted.keys() <= create_model('tnt_s_se').backbone.state_dict().keys()
