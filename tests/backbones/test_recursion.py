"""Recursion in the hosts: its order of blocks and projections, and what is refused."""

import pytest
import torch

from tests.small_backbones import away, image
from tests.test_grid import HOSTS
from vitbackbones.backbones import ViT

ONE_PER_PASS = {'passes': 2, 'nll_ratio': 1}
SMALL = {'embed_dims': 24, 'depth': 3, 'num_heads': 3}
IMAGE = image(32, 48)


def vit(**recursion):
    torch.manual_seed(0)
    return away(ViT(SMALL, img_size=32, recursion=recursion))


def in_order(model, order):
    """Run the tokens of the image through blocks and projections, given as (block, pass)."""
    tokens, size = model.patch_embed(IMAGE)
    x = model.with_position(tokens, model.pos_embed, size)
    for block, i in order:
        block = model.blocks[block]
        x = block.single_pass(x, size, i)
        x = block.nlls[min(i, len(block.nlls) - 1)](x)
    return model.read_out(x, len(model.blocks) - 1, size)


@pytest.mark.parametrize(
    ('loop', 'nll'),
    [
        *(('internal', nll) for nll in ('per_pass', 'shared')),
        *(('external', nll) for nll in ('per_pass', 'shared', 'per_sweep')),
    ],
)
@torch.no_grad()
def test_the_loops_run_blocks_and_projections_in_their_order(loop, nll):
    model = vit(passes=2, nll_ratio=1, loop=loop, nll=nll)
    order = {
        'internal': [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)],
        'external': [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)],
    }
    torch.testing.assert_close(model(IMAGE)[0], in_order(model, order[loop]))
    learned = [sum(1 for _ in block.nlls.parameters()) // 6 for block in model.blocks]
    expected = {'per_pass': [2, 2, 2], 'shared': [1, 1, 1], 'per_sweep': [0, 0, 2]}
    assert learned == expected[nll]


@torch.no_grad()
def test_an_external_loop_returns_the_blocks_of_its_last_sweep():
    model = vit(passes=2, nll_ratio=1, loop='external')
    model.out_indices = (1, 2)
    first, second = model(IMAGE)
    assert torch.equal(second, vit(passes=2, nll_ratio=1, loop='external')(IMAGE)[0])
    order = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1)]
    model.norm = torch.nn.Identity()
    torch.testing.assert_close(first, in_order(model, order))


@torch.no_grad()
def test_weights_of_a_plain_model_fill_a_recursive_one():
    plain = vit()
    assert torch.equal(vit(passes=1)(IMAGE)[0], plain(IMAGE)[0])
    recursive = vit(passes=2, nll_ratio=1)
    lost = recursive.load_state_dict(plain.state_dict(), strict=False)
    assert not lost.unexpected_keys
    assert all('.nlls.' in key for key in lost.missing_keys)
    naive = vit(passes=2)
    naive.load_state_dict(plain.state_dict())
    twice = [(i, passes) for i in range(3) for passes in (0, 1)]
    torch.testing.assert_close(naive(IMAGE)[0], in_order(naive, twice))


@torch.no_grad()
def test_mixed_depth_is_the_mean_of_both_streams_before_the_norm():
    model = vit(passes=2, nll_ratio=1, mixed_depth=True)
    deep, shallow = vit(passes=2, nll_ratio=1), vit()
    for other in (deep, shallow):
        other.load_state_dict(model.state_dict(), strict=False)
        other.norm = torch.nn.Identity()
    mean = (deep(IMAGE)[0] + shallow(IMAGE)[0]) / 2
    tokens = mean.flatten(2).transpose(1, 2)
    expected = model.norm(tokens).transpose(1, 2).unflatten(2, mean.shape[2:])
    torch.testing.assert_close(model(IMAGE)[0], expected)


@torch.no_grad()
def test_the_pixels_of_tnt_rest_in_further_passes():
    cls, arguments, *_ = HOSTS['TNT outer']
    model = cls(**arguments, img_size=64, recursion={'passes': 3, 'loop': 'external'}).eval()
    seen = []
    for i, block in enumerate(model.blocks):
        block.inner.register_forward_hook(lambda *_, i=i: seen.append(('inner', i)))
        block.outer.register_forward_hook(lambda *_, i=i: seen.append(('outer', i)))
    model(IMAGE)
    once = [('inner', 0), ('outer', 0), ('inner', 1), ('outer', 1)]
    assert seen == once + 2 * [('outer', 0), ('outer', 1)]


@pytest.mark.parametrize(
    ('recursion', 'message'),
    [
        ({'pases': 2}, "recursion has no option 'pases'; did you mean 'passes'"),
        (2, r'recursion=2: must be a dict, such as dict\(passes=2\)'),
        ({'passes': 0}, 'passes=0: must be an integer of at least 1'),
        ({'nll_ratio': -1}, 'nll_ratio=-1: must be a width'),
        ({'groups': 4}, 'groups=4: must be a list'),
        ({'groups': [2, 0]}, 'groups=0'),
        ({'groups': [2], 'permutation': 'rows'}, "permutation='rows'"),
        ({'permutation': 'random'}, 'permutation requires groups'),
        ({'passes': 2, 'nll': 'shared'}, "nll='shared' requires nll_ratio"),
        ({'passes': 2, 'nll_ratio': 1, 'nll': 'per_sweep'}, "requires loop='external'"),
        ({'passes': 1, 'mixed_depth': True}, 'the two branches are equal'),
        ({'passes': 2, 'mixed_loss': 'both'}, 'requires mixed_depth=True'),
        ({'passes': 2, 'mixed_depth': True, 'mixed_loss': 'both'}, "for feature maps, use 'mean'"),
    ],
    ids=str,
)
def test_recursion_that_has_no_meaning_is_refused_with_the_reason(recursion, message):
    with pytest.raises(ValueError, match=message):
        ViT(SMALL, img_size=32, recursion=recursion)


@pytest.mark.parametrize(
    ('host', 'message'), [('PVT', 'spatially reduced'), ('Swin', 'uses windows')]
)
def test_slices_are_refused_where_they_would_break_the_attention(host, message):
    cls, arguments, *_ = HOSTS[host]
    with pytest.raises(ValueError, match=message):
        cls(**arguments, out_indices=-1, recursion={'passes': 2, 'groups': [2, 1]})


def test_a_loss_of_each_branch_reads_one_output():
    recursion = {'passes': 2, 'mixed_depth': True, 'mixed_loss': 'both'}
    with pytest.raises(ValueError, match='a single index in out_indices'):
        ViT(SMALL, out_type='pooled', out_indices=(0, 1), recursion=recursion)


@pytest.mark.parametrize('host', ['ViT', 'TNT outer'])
@torch.no_grad()
def test_no_recursive_block_answers_for_the_class_token_alone(host):
    cls, arguments, *_ = HOSTS[host]
    options = {'shortcut': {'type': 'CoefficientShortcut'}, 'recursion': ONE_PER_PASS}
    model = away(cls(**arguments, **options, img_size=64, out_indices=-1, out_type='cls_token'))
    found, expected = model.fuse_for_inference()(IMAGE)[0], model(IMAGE)[0]
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-4)
