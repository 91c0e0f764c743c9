"""Safe reading of checkpoint files, and the count of what a file fills."""

import mmengine.runner.checkpoint as mmengine_checkpoint
import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from vitbackbones import create_model
from vitbackbones.backbones import ViT
from vitbackbones.errors import InputError
from vitbackbones.layers import Origin, fit_position
from vitbackbones.weights.convert.state_dict import TRANSFORMERS
from vitbackbones.weights.filling import adapt_state, compare, load_pretrained
from vitbackbones.weights.read.load import load_file

from .. import attacks

pytestmark = pytest.mark.compat


@pytest.mark.parametrize('name', ['a.pth', 'a.safetensors'])
def test_a_file_that_is_no_checkpoint_is_named(tmp_path, name):
    path = tmp_path / name
    with pytest.raises(InputError, match=f'{path}: no such checkpoint file'):
        load_file(path)
    for content in (b'not a checkpoint', b'hello', b''):
        path.write_bytes(content)
        with pytest.raises(InputError, match=str(path)):
            load_file(path)


@pytest.mark.parametrize(('name', 'write'), [('cut.pth', torch.save), ('c.safetensors', save_file)])
def test_a_truncated_file_is_named(tmp_path, name, write):
    path = tmp_path / name
    write({'weight': torch.randn(1000)}, path)
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(InputError, match=f'{path}: is not a torch checkpoint, or is damaged'):
        load_file(path)


@pytest.mark.parametrize(('content', 'kind'), [(torch.ones(2), 'Tensor'), ([1, 2], 'list')])
def test_a_file_without_a_dict_is_named(tmp_path, content, kind):
    torch.save(content, tmp_path / 'bare.pth')
    with pytest.raises(InputError, match=f'bare.pth: contains a {kind}, not a dict of weights'):
        load_file(tmp_path / 'bare.pth')


@pytest.fixture
def module():
    return nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 4))


def save(tmp_path, module, **changes):
    state = {**module.state_dict(), **changes}
    path = tmp_path / 'weights.pth'
    torch.save({k: v for k, v in state.items() if v is not None}, path)
    return path


def test_coverage_counts_and_names_everything(module, tmp_path):
    path = save(tmp_path, module, **{'1.bias': None, 'head.weight': torch.ones(1)})
    coverage = load_pretrained(module, path, allow_missing=['1.*'])
    assert coverage.used == ('0.weight', '0.bias', '1.weight')
    assert coverage.missing == ('1.bias',)
    assert coverage.unused == ('head.weight',)
    assert '3 of 4 tensors filled; missing: 1.bias; unused: head.weight' in str(coverage)


def test_a_missing_tensor_stops_and_leaves_the_module_alone(module, tmp_path):
    before = {k: v.clone() for k, v in module.state_dict().items()}
    path = save(tmp_path, module, **{'0.weight': torch.zeros(3, 2), '1.bias': None})
    with pytest.raises(InputError, match='1 tensors of the model are not in the file: 1.bias'):
        load_pretrained(module, path)
    for key, value in module.state_dict().items():
        assert torch.equal(value, before[key])


def test_another_shape_stops_unless_allowed(module, tmp_path):
    path = save(tmp_path, module, **{'0.bias': torch.ones(3), '1.weight': torch.ones(5, 3)})
    kept = module[1].weight.clone()
    with pytest.raises(InputError, match=r'1.weight \(5, 3\) for \(4, 3\)'):
        load_pretrained(module, path, allow_missing=['0.*'])
    coverage = load_pretrained(module, path, allow_missing=['1.*'])
    assert [*coverage.mismatched] == ['1.weight']
    assert 'mismatched: 1.weight (5, 3) for (4, 3)' in str(coverage)
    assert torch.equal(module[1].weight, kept)
    assert (module[0].bias == 1).all()


@pytest.mark.parametrize('name', ['allow_missing', 'allow_unused'])
def test_a_text_is_no_list_of_patterns(module, tmp_path, name):
    """Letter by letter the asterisk in it would allow everything."""
    path = save(tmp_path, module, **{'1.bias': None, '0.extra': torch.ones(1)})
    with pytest.raises(InputError, match=rf"{name}='0\.\*': must be a list of patterns"):
        load_pretrained(module, path, **{name: '0.*'})


@pytest.mark.parametrize('value', [float('nan'), float('inf')])
@pytest.mark.parametrize('kind', [torch.float32, torch.float8_e5m2])
def test_weights_that_are_not_finite_are_named(module, tmp_path, value, kind):
    path = save(tmp_path, module, **{'1.bias': torch.tensor([0, value, 0, 0]).to(kind)})
    with pytest.raises(
        InputError, match=r'weights\.pth: 1 of 4 tensors contain NaN or inf.*: 1\.bias'
    ):
        load_pretrained(module, path)


@pytest.mark.parametrize(
    'keys',
    [
        ('blocks.0.augs_attn.0.weight_list',),  # Aug-ViT, without the bias that tells the blocks
        ('patch_embed1.proj.weight', 'block1.0.attn.q.weight'),  # PVT, without keys and values
        ('patch_embed.pos', 3),
    ],
)
def test_a_file_that_breaks_its_converter_is_named(module, tmp_path, keys):
    torch.save({key: torch.ones(4) for key in keys}, tmp_path / 'broken.pth')
    with pytest.raises(InputError, match=r'broken\.pth: damaged, or not a checkpoint of'):
        load_pretrained(module, tmp_path / 'broken.pth')


def test_a_position_code_that_fits_no_grid_names_file_and_key(tmp_path):
    """Seven tokens are neither a square grid nor one behind a class and a distillation token."""
    vit = ViT(arch={'embed_dims': 8, 'depth': 1, 'num_heads': 2}, img_size=32)
    path = save(tmp_path, vit, pos_embed=torch.zeros(1, 7, 8))
    with pytest.raises(
        InputError, match=r'weights\.pth: pos_embed: a position embedding of 7 tokens'
    ):
        load_pretrained(vit, path)


def test_position_codes_are_resized_for_a_backbone_inside_a_model():
    arch = {'embed_dims': 8, 'depth': 1, 'num_heads': 2}
    small, large = (nn.ModuleDict({'net': ViT(arch=arch, img_size=size)}) for size in (32, 64))
    fitted = adapt_state(large, small.state_dict())
    assert small['net'].pos_embed.shape != large['net'].pos_embed.shape
    assert fitted['net.pos_embed'].shape == large['net'].pos_embed.shape
    assert torch.equal(fitted['net.cls_token'], small['net'].cls_token)


# ------------------------------------------------------------------------ addresses


@pytest.mark.skipif(
    not hasattr(mmengine_checkpoint, '_safe_torch_load'), reason='a function of onedl-mmengine'
)
def test_what_mmengine_fetches_by_itself_is_read_safely(tmp_path):
    """From storage services as an open file, from its own cache as a path."""
    (attack,) = attacks.write(tmp_path, ['mkdir in a zip']).values()
    for source in (str(attack), attack.open('rb')):
        with pytest.raises(InputError, match='refused'):
            mmengine_checkpoint._safe_torch_load(source)
    assert not attacks.CANARY.exists()


# ------------------------------------------------------------------------ coverage


def network():
    return nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))


def test_what_lies_inside_a_filled_part_is_unexpected():
    state = {**network().state_dict(), '0.gate': torch.ones(1), 'head.bias': torch.ones(1)}
    assert compare(network(), state).unexpected_inside() == ['0.gate']
    inside = {f'backbone.{key}': value for key, value in state.items()}
    whole = nn.ModuleDict({'backbone': network()})
    assert compare(whole, inside).unexpected_inside() == ['backbone.0.gate']


def test_a_count_of_batches_may_be_missing_and_has_a_place():
    state = network().state_dict()
    for changed in (state, {k: v for k, v in state.items() if 'batches' not in k}):
        found = compare(network(), changed)
        assert (found.missing, found.unused, found.mismatched) == ((), (), {})


# ------------------------------------------------------------------------ grids of position codes

VIT = {'arch': {'embed_dims': 8, 'depth': 1, 'num_heads': 2}, 'num_classes': 3}
# hosts with learned positions, each in another layout
POSITIONED = {
    'deit_ti': VIT,
    'tnt_s': {'num_classes': 3},
    'pvt_t': {'num_classes': 3},
    'mixer_b16': {
        'num_classes': 3,
        'arch': {'embed_dims': 8, 'depth': 1, 'patch_size': 16, 'token_dims': 8},
    },
    'sret_t': {'num_classes': 3},
    't2t_14': {'num_classes': 3},
}


def in_file(path, state):
    write = save_file if path.suffix == '.safetensors' else torch.save
    write({k: v.contiguous() for k, v in state.items()} if write is save_file else state, path)
    return path


def as_published(state):
    return {k.removeprefix('backbone.').replace('.fc.', '.'): x for k, x in state.items()}


def of_size(name, size, **options):
    return create_model(name, img_size=size, **POSITIONED[name], **options).eval()


@pytest.mark.parametrize('name', POSITIONED)
@pytest.mark.parametrize(
    ('stored', 'read'), [(64, (32, 128)), ((32, 128), (128, 32)), ((32, 128), 64)]
)
@torch.no_grad()
def test_a_file_of_another_shape_answers_as_the_model_that_wrote_it(tmp_path, name, stored, read):
    written = of_size(name, stored)
    for key, value in written.state_dict().items():
        if 'pos' in key:
            value.normal_()
    path = in_file(tmp_path / 'a.pth', written.state_dict())
    filled = of_size(name, read, checkpoint=path)
    image = torch.randn(1, 3, *filled.backbone.img_size)
    torch.testing.assert_close(filled(image), written(image), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize('name', ['a.pth', 'a.safetensors'])
def test_a_file_that_does_not_tell_its_grid_asks_or_is_told(tmp_path, name):
    wide, square = (of_size('deit_ti', size) for size in ((32, 128), 64))
    path = in_file(tmp_path / name, dict(wide.state_dict()))
    with pytest.raises(
        InputError, match=r'16 positions, and the model has 2 x 8. Give .*stored_size='
    ):
        of_size('deit_ti', (32, 128), checkpoint=path)
    same = of_size('deit_ti', (32, 128), checkpoint=path, stored_size=(32, 128))
    assert torch.equal(same.backbone.pos_embed, wide.backbone.pos_embed)
    resized = of_size('deit_ti', (32, 128), checkpoint=path, stored_size=(64, 64))
    assert not torch.equal(resized.backbone.pos_embed, wide.backbone.pos_embed)
    assert square.backbone.pos_embed.shape == wide.backbone.pos_embed.shape


def test_a_published_layout_is_of_a_square(tmp_path):
    square = of_size('deit_ti', 64)
    state = as_published(square.state_dict())
    filled = of_size('deit_ti', (32, 128), checkpoint=in_file(tmp_path / 'a.pth', state))
    wanted = fit_position(square.backbone.pos_embed, 1, (2, 8), origin=Origin(doubt='square'))
    assert torch.equal(filled.backbone.pos_embed, wanted)


def test_a_plain_file_in_a_distilled_model_lacks_its_token(tmp_path):
    path = in_file(tmp_path / 'a.pth', of_size('deit_ti', 64).state_dict())
    with pytest.raises(InputError, match='the distillation token is missing'):
        create_model('deit_ti_distilled', img_size=64, checkpoint=path, **VIT)


# ------------------------------------------------------------------------ sets of weights, wrappers


@pytest.mark.parametrize(
    ('last', 'average'),
    [
        ('model', 'model_ema'),
        ('state_dict', 'state_dict_ema'),
        ('model', 'ema'),
        ('params', 'params_ema'),
    ],
)
def test_of_two_sets_of_weights_the_average_is_taken(tmp_path, module, last, average):
    state = module.state_dict()
    sets = {last: {k: 0 * v for k, v in state.items()}, average: {'module': state}}
    torch.save(sets, tmp_path / 'a.pth')
    other = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 4))
    load_pretrained(other, tmp_path / 'a.pth')
    assert torch.equal(other[0].weight, module[0].weight)


@pytest.mark.parametrize('layout', [as_published, dict])
@pytest.mark.parametrize(
    'prefix',
    ['model.', 'net.', 'encoder.', 'network.', 'module.model.', '0.', 'feature_extractor.'],
)
def test_what_a_program_puts_before_the_keys_is_removed(tmp_path, prefix, layout):
    written = of_size('deit_ti', 64)
    state = {f'{prefix}{key}': x for key, x in layout(written.state_dict()).items()}
    path = in_file(tmp_path / 'a.ckpt', {'state_dict': state, 'epoch': 3})
    filled = of_size('deit_ti', 64, checkpoint=path)
    assert torch.equal(filled.backbone.pos_embed, written.backbone.pos_embed)


def test_two_networks_behind_unknown_prefixes_are_not_guessed_from(tmp_path):
    state = as_published(of_size('deit_ti', 64).state_dict())
    both = {f'{side}.{key}': x for side in ('left', 'right') for key, x in state.items()}
    with pytest.raises(InputError, match='does not fill'):
        of_size('deit_ti', 64, checkpoint=in_file(tmp_path / 'a.pth', both))


REFUSED = {
    'arrays': (lambda state: {k: v.numpy() for k, v in state.items()}, 'values are NumPy arrays'),
    'two': (
        lambda state: {'student': state, 'teacher': state},
        "'student' or 'teacher', set state_key",
    ),
    'transformers': (
        lambda state: {f'vit.encoder.layer.0{TRANSFORMERS}': torch.ones(2, 2)},
        "those of Hugging Face's transformers; load it",
    ),
}


@pytest.mark.parametrize('kind', REFUSED)
def test_other_contents_are_refused_with_what_to_do(tmp_path, kind):
    change, said = REFUSED[kind]
    torch.save(change(of_size('deit_ti', 64).state_dict()), tmp_path / 'a.pth')
    with pytest.raises(InputError, match=said):
        of_size('deit_ti', 64, checkpoint=tmp_path / 'a.pth')


def test_a_file_without_a_head_leaves_the_new_head_random(tmp_path, caplog):
    state = {k: v for k, v in of_size('deit_ti', 64).state_dict().items() if 'head' not in k}
    filled = of_size('deit_ti', 64, checkpoint=in_file(tmp_path / 'a.pth', state))
    assert torch.equal(filled.backbone.cls_token, state['backbone.cls_token'])
