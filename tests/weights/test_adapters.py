"""Folders of adapters: what they hold, and the base that they belong to."""

import json
import re

import pytest
import torch
from safetensors.torch import load_file, save_file

from vitbackbones.backbones import ViT
from vitbackbones.errors import InputError
from vitbackbones.layers.lora import add_adapters, merged_state
from vitbackbones.weights.adapters import CONFIG, KEY, MATRICES, digest_of, load_adapter
from vitbackbones.weights.adapters import save_adapter as save

from ..layers.test_lora import ARCH, RANK, image, learned, same

LAYERS = 2 * 4  # qkv, proj, fc1 and fc2 of each block


def base(seed=0):
    torch.manual_seed(seed)
    return ViT(ARCH, img_size=32).eval()


@pytest.fixture
def adapted():
    backbone = base()
    add_adapters(backbone, RANK)
    return learned(backbone)


def test_a_folder_has_the_matrices_and_names_its_base(adapted, tmp_path):
    save(tmp_path / 'adapter', adapted.state_dict(), 'cls_vit')
    about = json.loads((tmp_path / 'adapter' / CONFIG).read_text())
    assert (about['peft_type'], about['r'], about['lora_alpha']) == ('LORA', RANK, RANK)
    assert about['base_model_name_or_path'] == 'cls_vit'
    assert about['revision'] == digest_of(base().state_dict()) == digest_of(adapted.state_dict())
    matrices = load_file(tmp_path / 'adapter' / MATRICES)
    assert len(matrices) == 2 * len(about['target_modules']) == 2 * LAYERS
    key = KEY.format('blocks.0.attn.qkv.lora_A')
    assert key == 'base_model.model.blocks.0.attn.qkv.lora_A.weight'
    assert torch.equal(matrices[key], adapted.blocks[0].attn.qkv.lora_A)


@torch.no_grad()
def test_a_base_with_the_folder_answers_as_the_trained_backbone(adapted, tmp_path):
    save(tmp_path, adapted.state_dict(), 'cls_vit')
    backbone = base()
    load_adapter(backbone, tmp_path)
    same(backbone, adapted, image(32))


def test_another_base_is_refused_with_both_digests_and_stays_as_it_is(adapted, tmp_path):
    save(tmp_path, adapted.state_dict(), 'cls_vit')
    other = base(seed=1)
    own, expected = (digest_of(each.state_dict()) for each in (other, base()))
    said = f'^{re.escape(str(tmp_path))}: its base is cls_vit with weights of SHA-256 {expected}, '
    with pytest.raises(InputError, match=f'{said}but the weights here have {own}. Start'):
        load_adapter(other, tmp_path)
    assert digest_of(other.state_dict()) == own
    merged = base()
    load_adapter(merged, tmp_path)
    with pytest.raises(InputError, match='its base is cls_vit'):
        load_adapter(merged, tmp_path)  # once more


def test_a_folder_of_something_else_is_one_message(adapted, tmp_path):
    with pytest.raises(InputError, match='adapter_config.json cannot be read'):
        load_adapter(base(), tmp_path)
    (tmp_path / CONFIG).write_text('[]')
    save_file({}, tmp_path / MATRICES)
    with pytest.raises(InputError, match='damaged, or not a checkpoint of this model'):
        load_adapter(base(), tmp_path)
    save(tmp_path, adapted.state_dict(), 'cls_vit')
    matrices = load_file(tmp_path / MATRICES)
    matrices[KEY.format('blocks.1.mlp.fc2.lora_B')][0, 0] = float('nan')
    save_file(matrices, tmp_path / MATRICES)
    with pytest.raises(InputError, match='1 of 16 tensors contain NaN or infinite'):
        load_adapter(base(), tmp_path)


@torch.no_grad()
def test_the_factor_of_others_counts(adapted, tmp_path):
    save(tmp_path, adapted.state_dict(), 'cls_vit')
    about = json.loads((tmp_path / CONFIG).read_text())
    (tmp_path / CONFIG).write_text(json.dumps({**about, 'lora_alpha': 3 * RANK}))
    backbone = base()
    load_adapter(backbone, tmp_path)
    merged = merged_state(adapted.state_dict())[0]
    for name in about['target_modules']:
        weight = base().get_submodule(name).weight
        change = backbone.get_submodule(name).weight - weight
        torch.testing.assert_close(change, 3 * (merged[f'{name}.weight'] - weight))


@torch.no_grad()
def test_peft_reads_the_folder(adapted, tmp_path):
    peft = pytest.importorskip('peft')
    save(tmp_path, adapted.state_dict(), 'cls_vit')
    model = peft.PeftModel.from_pretrained(base(), tmp_path).eval()
    torch.testing.assert_close(model(image(32)), adapted(image(32)))
    peft.PeftModel.from_pretrained(base(), tmp_path).save_pretrained(tmp_path / 'theirs')
    theirs, ours = load_file(tmp_path / 'theirs' / MATRICES), load_file(tmp_path / MATRICES)
    assert theirs.keys() == ours.keys()
    assert all(torch.equal(theirs[key], ours[key]) for key in ours)


NAME = 'blocks.0.attn.qkv'


def with_matrices(folder, name, a, b):
    file = folder / MATRICES
    given = load_file(file)
    given |= {KEY.format(f'{name}.lora_A'): a, KEY.format(f'{name}.lora_B'): b}
    save_file(given, file)


def with_settings(folder, **changes):
    file = folder / CONFIG
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


HOSTILE = {
    'alpha': lambda folder: with_settings(folder, lora_alpha=float('nan')),
    'rank': lambda folder: with_settings(folder, r=0),
    'text': lambda folder: with_settings(folder, r='4'),
    'names': lambda folder: with_settings(folder, target_modules=NAME),
    'overflow': lambda folder: with_matrices(
        folder, 'blocks.1.mlp.fc2', *(torch.full(size, 3e38) for size in SIZES)
    ),
    'broadcast': lambda folder: with_matrices(
        folder, 'blocks.1.mlp.fc2', torch.ones(1, 1), torch.ones(2, 1)
    ),
}
WIDTH = ARCH['embed_dims']
SIZES = ((RANK, 4 * WIDTH), (WIDTH, RANK))


@pytest.mark.parametrize('kind', HOSTILE)
def test_what_cannot_be_added_is_refused_and_changes_nothing(adapted, tmp_path, kind):
    save(tmp_path, adapted.state_dict(), 'cls_vit')
    HOSTILE[kind](tmp_path)
    backbone = base()
    with pytest.raises(InputError, match=str(tmp_path)):
        load_adapter(backbone, tmp_path)
    assert digest_of(backbone.state_dict()) == digest_of(base().state_dict())


@torch.no_grad()
def test_a_layer_that_is_named_many_times_is_changed_once(adapted, tmp_path):
    save(tmp_path, adapted.state_dict(), 'cls_vit')
    names = json.loads((tmp_path / CONFIG).read_text())['target_modules']
    with_settings(tmp_path, target_modules=names * 1000)
    backbone = base()
    load_adapter(backbone, tmp_path)
    same(backbone, adapted, image(32))
