"""Packed linear layers: the dense answers, through every way that a module is used."""

import copy
import io
import pickle

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrize, prune

from vitbackbones.errors import OptionError
from vitbackbones.layers import Block, fuse_for_inference
from vitbackbones.layers.inference import pack as packing
from vitbackbones.layers.inference.pack import ClosingSum, PackedLinear, why_not_packed

needs_operators = pytest.mark.skipif(bool(why_not_packed()), reason=why_not_packed())
SIZE = (2, 3)


def block(shortcut='IdentityShortcut'):
    torch.manual_seed(0)
    shortcut = {'type': shortcut} if isinstance(shortcut, str) else shortcut
    made = Block(24, 3, 2.0, {'type': 'DotProductAttention'}, shortcut).eval()
    for value in made.parameters():
        nn.init.uniform_(value, -0.5, 0.5)
    return made.requires_grad_(False)


def tokens(batch=2):
    return torch.randn(batch, 6, 24, generator=torch.Generator().manual_seed(1))


def held(module):
    """How many packed weights the layers hold."""
    return sum(len(layer.packed or ()) for layer in module.modules() if hasattr(layer, 'packed'))


def close(fused, original, x):
    torch.testing.assert_close(fused(x, SIZE), original(x, SIZE), atol=2e-5, rtol=1e-5)


@needs_operators
def test_a_block_packs_its_products_with_what_follows_them():
    original = block()
    fused = fuse_for_inference(original, pack=True)
    assert type(fused.shortcut_attn) is type(fused.shortcut_mlp) is ClosingSum
    assert fused.mlp.fc1.gelu
    close(fused, original, tokens())
    assert held(fused) == 4  # qkv, proj, fc1, fc2
    assert fused.state_dict().keys() == original.state_dict().keys()
    assert fused.shortcut_mlp.held == (fused.mlp.fc1, fused.mlp.fc2)


@needs_operators
def test_no_packed_weight_depends_on_the_first_batch_or_the_number_of_threads():
    fused, threads = fuse_for_inference(block(), pack=True), torch.get_num_threads()
    wanted = fused(tokens(3), SIZE)
    try:
        for first, count in ((1, 1), (64, 2)):
            torch.set_num_threads(count)
            other = fuse_for_inference(block(), pack=True)
            other(tokens(first), SIZE)
            torch.testing.assert_close(other(tokens(3), SIZE), wanted, atol=2e-6, rtol=1e-6)
    finally:
        torch.set_num_threads(threads)


@needs_operators
def test_copies_and_pickles_hold_no_packed_weights_and_pack_again():
    original, x, stream = block(), tokens(), io.BytesIO()
    fused = fuse_for_inference(original, pack=True)
    fused(x, SIZE)
    torch.save(fused, stream)
    stream.seek(0)
    loaded = torch.load(stream, weights_only=False)
    for other in (copy.deepcopy(fused), pickle.loads(pickle.dumps(fused)), loaded):
        assert held(other) == 0
        close(other, original, x)
        assert held(other) == 4
        assert other.shortcut_attn.held[0] is other.attn.proj


@needs_operators
def test_a_layer_that_moves_forgets_its_packed_weight():
    original, x = block(), tokens()
    fused = fuse_for_inference(original, pack=True)
    fused(x, SIZE)
    close(fused.double(), original.double(), x.double())
    assert held(fused) == 0  # no packed product in float64
    close(fused.float(), original.float(), x)
    assert held(fused) == 4
    assert fused.to('meta')(x.to('meta'), SIZE).is_meta


@needs_operators
def test_calls_that_onednn_cannot_serve_take_the_dense_weight():
    original, x = block(), tokens()
    fused = fuse_for_inference(original, pack=True)
    exported = torch.export.export(fused, (x, SIZE)).module()
    torch.testing.assert_close(exported(x, SIZE), original(x, SIZE), atol=2e-5, rtol=1e-5)
    close(torch.compile(fused, fullgraph=True, backend='aot_eager'), original, x)
    torch._dynamo.reset()
    with torch.autocast('cpu', torch.bfloat16):
        assert fused.attn.qkv(x).dtype == torch.bfloat16
    gradients = [
        torch.autograd.grad(form(y, SIZE).square().sum(), y)[0]
        for form in (fused, original)
        for y in [x.clone().requires_grad_()]
    ]
    torch.testing.assert_close(*gradients, atol=1e-3, rtol=1e-4)
    with torch.backends.mkldnn.flags(enabled=False):
        close(fused, original, x)
    assert held(fused) == 0


@needs_operators
@pytest.mark.parametrize('coefficients', ['branch', 'both'])
def test_a_wide_mlp_maps_a_few_tokens_at_a_time(monkeypatch, coefficients):
    monkeypatch.setattr(packing, '_WIDE', 4 * 48 * 17)  # 17 of 18 tokens
    monkeypatch.setattr(packing, '_PIECE', 4 * 48 * 5)
    original = block({'type': 'CoefficientShortcut', 'coefficients': coefficients})
    fused, calls = fuse_for_inference(original, pack=True), []
    product = fused.mlp.fc2.product
    fused.mlp.fc2.product = lambda x, **options: calls.append(len(x)) or product(x, **options)
    close(fused, original, tokens(3))
    assert calls == [5, 5, 5, 3]
    close(fused, original, tokens(3).transpose(0, 1).contiguous().transpose(0, 1))


class Sharing(nn.Module):
    """Two attentions that are one module, and two layers of one weight."""

    def __init__(self):
        super().__init__()
        self.first, self.second = block(), block()
        self.second.attn = self.first.attn
        self.second.mlp.fc2.weight = self.first.mlp.fc2.weight

    def forward(self, x, size):
        return self.second(self.first(x, size), size)


@needs_operators
def test_shared_modules_and_weights_keep_their_function():
    original, x = Sharing(), tokens()
    fused = fuse_for_inference(original, pack=True)
    close(fused, original, x)
    assert fused.first.attn is fused.second.attn
    assert fused.first.mlp.fc2.weight is fused.second.mlp.fc2.weight
    twice = fuse_for_inference(nn.ModuleList([original.first] * 2), pack=True)
    for each in twice:
        close(each, original.first, x)
    assert held(twice) == 4


class Double(nn.Module):
    def forward(self, weight):
        return 2 * weight


class Adapter(nn.Linear):
    def forward(self, x):
        return super().forward(x) + x


@needs_operators
def test_layers_that_do_more_than_their_weight_says_are_left_alone():
    original = block()
    parametrize.register_parametrization(original.attn.proj, 'weight', Double())
    parametrize.register_parametrization(original.attn.qkv, 'weight', Double())
    prune.l1_unstructured(original.mlp.fc1, 'weight', amount=0.5)
    original.mlp.fc2 = nn.Sequential(original.mlp.fc2, Adapter(24, 24))
    fused, x = fuse_for_inference(original, pack=True), tokens()
    close(fused, original, x)
    assert [type(layer) for layer in fused.mlp.fc2] == [PackedLinear, Adapter]
    assert held(fused) == 1


HOOKED = ['attn', 'attn.qkv', 'attn.proj', 'mlp', 'mlp.fc1', 'mlp.act', 'mlp.fc2']


def doubled(module, inputs, output):
    return 2 * output


def of_double(module, inputs):
    return 2 * inputs[0], *inputs[1:]


@pytest.mark.parametrize('pack', [False, 'auto'])
@pytest.mark.parametrize('name', HOOKED)
def test_hooks_see_and_replace_what_they_do_in_the_original(name, pack):
    original, x, seen = block('CoefficientShortcut'), tokens(), []
    hooked = original.get_submodule(name)
    hooked.register_forward_hook(lambda *call: seen.append((call[2], call[2].clone())))
    close(fuse_for_inference(original, pack=pack), original, x)
    assert torch.equal(*seen[0])  # nothing was written over it
    torch.testing.assert_close(seen[0][0], seen[1][0], atol=2e-5, rtol=1e-5)
    hooked.register_forward_hook(doubled)
    hooked.register_forward_pre_hook(of_double)
    close(fuse_for_inference(original, pack=pack), original, x)


@pytest.mark.parametrize('pack', [False, 'auto'])
@pytest.mark.parametrize(
    'shortcut', ['IdentityShortcut', 'CoefficientShortcut', 'AugmentedShortcut']
)
def test_under_autocast_the_stream_stays_in_float32(shortcut, pack):
    original, x = block(shortcut), tokens()
    fused = fuse_for_inference(original, pack=pack)
    with torch.autocast('cpu', torch.bfloat16):
        rough, ours = original(x, SIZE), fused(x, SIZE)
    assert ours.dtype == rough.dtype == torch.float32
    exact = original(x, SIZE)
    assert (ours - exact).norm() < 1.2 * (rough - exact).norm()


def test_a_machine_that_cannot_pack_says_what_is_missing(monkeypatch):
    monkeypatch.setattr(packing, 'why_not_packed', lambda: 'the processor has no AVX2')
    with pytest.raises(OptionError, match="no AVX2; use pack='auto'"):
        fuse_for_inference(block(), pack=True)
    with pytest.raises(OptionError, match="pack='yes': must be"):
        fuse_for_inference(block(), pack='yes')
    assert not any(isinstance(m, PackedLinear) for m in fuse_for_inference(block()).modules())


@pytest.mark.parametrize('pack', [False, 'auto'])
def test_a_fused_model_is_neither_trained_nor_filled(pack):
    fused = fuse_for_inference(block(), pack=pack)
    assert fused.eval() is fused
    with pytest.raises(OptionError, match='cannot be trained; train the model'):
        fused.train()
    with pytest.raises(OptionError, match='cannot be trained'):
        nn.Sequential(copy.deepcopy(fused)).train()
    with pytest.raises(OptionError, match='nothing can be loaded into'):
        fused.load_state_dict(fused.state_dict())
    with pytest.raises(OptionError, match='nothing can be loaded into'):
        fused.mlp.load_state_dict(fused.mlp.state_dict())


@pytest.mark.parametrize('pack', [False, 'auto'])
def test_a_copy_in_bfloat16_takes_and_gives_float32(pack):
    original, x = block(), tokens()
    fused = fuse_for_inference(original, pack=pack, dtype=torch.bfloat16)
    assert {value.dtype for value in fused.parameters()} == {torch.bfloat16}
    out = fused(x, SIZE)
    assert out.dtype == torch.float32
    scale = original(x, SIZE).abs().max()
    assert (out - original(x, SIZE)).abs().max() < 0.03 * scale
    again = pickle.loads(pickle.dumps(fused))(x, SIZE)
    torch.testing.assert_close(again, out)


@needs_operators
def test_bfloat16_stays_dense_where_the_processor_has_no_packed_products_of_it(monkeypatch):
    monkeypatch.setattr(packing, '_dtypes', lambda: (torch.float32,))
    fused = fuse_for_inference(block(), pack=True, dtype=torch.bfloat16)
    fused(tokens(), SIZE)
    assert held(fused) == 0


def test_a_processor_that_emulates_bfloat16_says_so(monkeypatch):
    for name in ('_is_avx512_bf16_supported', '_is_amx_tile_supported'):
        monkeypatch.setattr(torch.cpu, name, lambda: False)
    with pytest.warns(UserWarning, match='emulates bfloat16, which is slower') as caught:
        fuse_for_inference(block(), dtype=torch.bfloat16)
    assert caught[0].filename == __file__
    fuse_for_inference(block().to('meta'), dtype=torch.bfloat16)  # another device: no warning
    with pytest.raises(OptionError, match='dtype=torch.float64: must be one of None'):
        fuse_for_inference(block(), dtype=torch.float64)


def test_what_is_asked_apart_is_packed_apart():
    """The first token asks with one part of the projections, and all tokens answer with two."""
    original = block().for_first_token()
    fused, x = fuse_for_inference(original), tokens()
    close(fused, original, x)
    if not why_not_packed():
        assert sorted(fused.block.attn.qkv.packed) == [(0, 24), (24, 72)]


@torch.no_grad()
def test_every_backbone_keeps_its_function(make_backbone):
    """At sizes that nothing divides; in bfloat16 up to a few of its steps of 2 ** -8."""
    backbone = make_backbone(img_size=64).eval()
    for name, value in backbone.named_parameters():
        if 'shortcut' in name or 'norm' in name:
            value.add_(torch.randn_like(value), alpha=0.02)
    fused = backbone.fuse_for_inference()
    half = backbone.fuse_for_inference(dtype=torch.bfloat16)
    for shape in ((1, 3, 64, 64), (3, 3, 75, 90)):
        image = torch.randn(shape)
        for expected, ours, rough in zip(backbone(image), fused(image), half(image), strict=True):
            torch.testing.assert_close(ours, expected, atol=2e-5, rtol=1e-4)
            assert rough.dtype == torch.float32
            error = (rough - expected).square().mean().sqrt() / expected.square().mean().sqrt()
            assert error < 0.02, error
