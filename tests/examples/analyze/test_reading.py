"""What is read inside of a model against what straight code and hooks of our own see."""

import pytest
import torch
from torch import nn

from examples.analyze.reading import choose_blocks, find_blocks, reading
from vitbackbones.backbones import TNT, Backbone, SReT, ViT
from vitbackbones.errors import InputError

TINY = {'embed_dims': 24, 'depth': 2, 'num_heads': 2}


def hooks_of(model):
    """All hooks on a model's modules, by kind and place."""
    kinds = ('_forward_hooks', '_forward_pre_hooks', '_backward_hooks')
    places = [(name, kind) for name, _ in model.named_modules() for kind in kinds]
    return {(n, k): list(getattr(model.get_submodule(n), k).values()) for n, k in places}


def read(model, image, **options):
    with reading(model, **options) as found, torch.no_grad():
        model(image)
    return found


def test_a_model_that_is_read_answers_alike_and_keeps_no_hook(make_backbone):
    model, image = make_backbone(img_size=64).eval(), torch.randn(2, 3, 64, 64)
    before = hooks_of(model)
    with torch.no_grad():
        expected = model(image)
        with reading(model, attention=[1]) as found:
            output = model(image)
    assert all(torch.equal(a, b) for a, b in zip(output, expected, strict=True))
    assert hooks_of(model) == before
    assert {place.block for place in found.tokens} == {0, *range(1, len(find_blocks(model)) + 1)}
    for place in found.tokens:
        assert place.maps().shape == (2, place.values.shape[2], *place.grid)


def test_a_vit_is_read_as_straight_code_computes_it():
    model, image = ViT(TINY, img_size=64).eval(), torch.randn(2, 3, 48, 64)
    found = read(model, image)
    with torch.no_grad():
        x, size = model.patch_embed(image)
        x = model.with_position(x, model.pos_embed, size)
        for place, block in zip(found.tokens, [None, *model.blocks], strict=True):
            x = x if block is None else block(x, size)
            assert torch.equal(place.values, x)
            assert torch.equal(place.patches, x[:, 1:])
            assert place.grid == (3, 4)


@pytest.mark.parametrize('loop', ['internal', 'external'])
def test_every_pass_of_a_recursive_block_is_read(loop):
    arch = {'base': 't', 'depths': (2, 1, 1)}
    model = SReT(arch, img_size=64, loop=loop).eval()
    found = read(model, torch.randn(1, 3, 64, 64))
    turns = [(1, 1), (1, 2), (2, 1), (2, 2)] if loop == 'internal' else [(1, 1), (2, 1), (1, 2)]
    assert [(t.block, t.turn) for t in found.tokens[1:]][: len(turns)] == turns
    assert len(found.tokens) == 9
    block, size = model.stages[0].blocks[0], (8, 8)
    with torch.no_grad():
        first = block.nlls[0](block.single_pass(found.tokens[0].values, size, 0))
    assert torch.equal(found.tokens[1].values, first)
    if loop == 'internal':
        with torch.no_grad():
            second = block.nlls[1](block.single_pass(first, size, 1))
        assert torch.equal(found.tokens[2].values, second)


@pytest.mark.parametrize('host', [ViT, TNT])
@pytest.mark.parametrize('nll', ['per_sweep', 'shared'])
def test_recursion_of_any_host_is_read(host, nll):
    recursion = {'passes': 2, 'nll_ratio': 1.0, 'nll': nll, 'loop': 'external'}
    model = host({'base': 'ti', 'depth': 2}, img_size=32, recursion=recursion).eval()
    found = read(model, torch.randn(1, 3, 32, 32))
    assert [(t.block, t.turn) for t in found.tokens[1:]] == [(1, 1), (2, 1), (1, 2), (2, 2)]
    if host is ViT:
        with torch.no_grad():
            first = model.blocks[0](found.tokens[0].values, (2, 2), (0,))
            third = model.blocks[0](found.tokens[2].values, (2, 2), (1,))
        assert torch.equal(found.tokens[1].values, first)
        assert torch.equal(found.tokens[3].values, third)


def attended(attention, x, weights):
    """What dot-product attention answers with these weights (N, heads, L, L)."""
    v = attention.project(x)['V'].unflatten(2, (attention.num_heads, -1)).transpose(1, 2)
    return attention.proj((weights @ v).transpose(1, 2).flatten(2))


@pytest.mark.parametrize('slices', [None, 3])
def test_the_weights_are_those_that_the_block_attends_with(slices):
    part = {'attention': {'type': 'SlicedAttention', 'slices': slices}} if slices else {}
    model = ViT(TINY, img_size=64, **part).eval()
    found = read(model, torch.randn(2, 3, 64, 64), attention=[2])
    call, block = found.attention[0], model.blocks[1]
    assert (call.block, call.turn, len(found.attention)) == (2, 1, 1)
    with torch.no_grad():
        n = block.norm1(found.tokens[1].values)
        answer = attended(block.attn, n, call.values)
        torch.testing.assert_close(answer, block.attn(n))


@pytest.mark.parametrize('class_tokens', [0, 1])
def test_the_weights_of_a_sliced_pass_are_over_all_tokens(class_tokens):
    """Those of a class token, which is in every slice, are the mean over the slices."""
    if class_tokens:
        model = ViT(TINY, img_size=64, recursion={'passes': 2, 'groups': [2, 3]}).eval()
        block, length = model.blocks[0], 1 + 16
    else:
        model = SReT({'base': 't', 'depths': (1, 1, 1)}, img_size=64).eval()
        block, length = model.stages[0].blocks[0], 64
    found = read(model, torch.randn(1, 3, 64, 64), attention=[1])
    assert [call.turn for call in found.attention] == [1, 2]
    for call, place, slicing in zip(found.attention, found.tokens[:2], block.slicings, strict=True):
        assert call.values.shape == (1, 2, length, length)
        with torch.no_grad():
            n = block.norm1(place.values)
            answer = attended(block.attn, n, call.values)
            torch.testing.assert_close(answer, slicing(block.attn, n, class_tokens))


def test_the_weights_of_windows_are_over_all_tokens():
    model = ViT(TINY, img_size=64, window_size=3, global_attn_indexes=[1]).eval()
    found = read(model, torch.randn(1, 3, 64, 80), attention=[1])
    (call,), block = found.attention, model.blocks[0]
    assert call.values.shape == (1, 2, 21, 21)
    with torch.no_grad():
        n = block.norm1(found.tokens[0].values)
        answer = attended(block.attn, n, call.values)
        torch.testing.assert_close(answer, block.attend(n, (4, 5)))


class Guest(Backbone):
    """Convolutions as blocks, without a grid among their inputs."""

    def __init__(self, **options):
        super().__init__(**options)
        self.stem = nn.Conv2d(3, 8, 16, 16)
        self.blocks = nn.ModuleList(nn.Conv2d(8, 8, 1) for _ in range(2))

    def forward(self, image):
        x = self.stem(image)
        for block in self.blocks:
            x = self.run_block(block, x)
        return (x,)


class Encoder(nn.Module):
    """Tokens without a grid, in ``layers``, as toolboxes' own vision transformers have them."""

    def __init__(self, extra):
        super().__init__()
        self.extra = extra
        self.layers = nn.Sequential(nn.Identity(), nn.Identity())

    def forward(self, image):
        x = torch.randn(1, self.extra + 9, 8)
        for layer in self.layers:
            x = layer(x)
        return x


def test_maps_of_a_guest_are_read_as_tokens():
    model, image = Guest().eval(), torch.randn(1, 3, 32, 48)
    found = read(model, image)
    assert found.tokens[0].grid == (2, 3)
    with torch.no_grad():
        assert torch.equal(found.tokens[0].maps(), model.stem(image))
        assert torch.equal(found.tokens[2].maps(), model(image)[0])


@pytest.mark.parametrize('extra', [0, 1, 2])
def test_tokens_without_a_grid_are_taken_for_a_square_and_its_class_tokens(extra):
    found = read(Encoder(extra), torch.randn(1, 3, 8, 8))
    assert found.tokens[2].grid == (3, 3)
    assert found.tokens[2].patches.shape == (1, 9, 8)


def test_what_is_not_there_is_named():
    place = read(Encoder(4), None).tokens[0]
    with pytest.raises(InputError, match='13 tokens are not known to be a grid'):
        place.maps()
    with pytest.raises(InputError, match='Linear has no blocks to read'):
        find_blocks(nn.Linear(2, 2))
    with pytest.raises(InputError, match='block 3: the model has the blocks 1 to 2'):
        choose_blocks(Encoder(0), [1, 3])


def test_an_error_inside_leaves_no_hook_behind():
    model = ViT(TINY, img_size=32)
    before = hooks_of(model)
    with pytest.raises(RuntimeError), reading(model, attention=[1]):
        model(torch.randn(1, 5, 32, 32))
    assert hooks_of(model) == before
    with pytest.raises(InputError), reading(model, attention=[9]):
        raise AssertionError('not reached')
    assert hooks_of(model) == before
