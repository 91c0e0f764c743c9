"""Plain hosts in windows: their global blocks, their equals, and every way to run them."""

import pytest
import torch

from tests.small_backbones import away, image
from vitbackbones.backbones import T2T, TNT, AugViT, MSFViT, ViT

ARCH = {'embed_dims': 24, 'depth': 2, 'num_heads': 3}
DEEPER = {**ARCH, 'depth': 4}
TWO_LEVELS = {**ARCH, 'inner_dims': 8, 'inner_heads': 2}
HOSTS = {
    'vit': (ViT, {'arch': ARCH, 'with_dist_token': True}),
    'aug_vit': (AugViT, {'arch': ARCH}),
    't2t': (T2T, {'arch': ARCH}),
    'tnt': (TNT, {'arch': TWO_LEVELS}),
    'msf_vit': (MSFViT, {'arch': ARCH}),
}
SIZES = [(70, 112), (33, 47)]  # grids of 5 x 7 and 3 x 3


@pytest.fixture(params=HOSTS)
def make(request):
    """Build a host of a block in windows and a global one, with weights away from their start."""

    def build(**options):
        torch.manual_seed(0)
        cls, arguments = HOSTS[request.param]
        chosen = {'global_attn_indexes': [1]} if 'window_size' in options else {}
        return away(cls(**{'img_size': 64, **arguments, **chosen, **options}))

    return build


@torch.no_grad()
def test_windows_of_the_image_or_larger_are_global_attention_with_the_same_keys(make):
    plain, windows = make(), make(window_size=7)
    smaller = make(window_size=4)
    assert [*plain.state_dict()] == [*windows.state_dict()]
    for size in SIZES:
        assert torch.equal(windows(image(*size))[0], plain(image(*size))[0])
    assert not torch.allclose(smaller(image(*SIZES[0]))[0], plain(image(*SIZES[0]))[0])
    assert torch.equal(smaller(image(*SIZES[1]))[0], plain(image(*SIZES[1]))[0])


def reach(window_size, chosen):
    """How many patches of 4 x 4 change what the first becomes, where some blocks are global."""
    options = {'window_size': window_size, 'global_attn_indexes': chosen, 'with_cls_token': False}
    model = ViT(DEEPER, img_size=64, **options)
    tokens = torch.randn(1, 16, 24, requires_grad=True)
    x = tokens
    for block in model.blocks:
        x = block(x, (4, 4))
    x[0, 0].sum().backward()
    return int((tokens.grad[0].abs().sum(1) > 0).sum())


@pytest.mark.parametrize(('chosen', 'count'), [([], 4), (0, 4), ([3], 16), (1, 16), ((0, 2), 16)])
def test_only_global_blocks_carry_from_window_to_window(chosen, count):
    assert reach(2, chosen) == count


@pytest.mark.parametrize(
    ('depth', 'given', 'wanted'),
    [(12, 4, [2, 5, 8, 11]), (24, 4, [5, 11, 17, 23]), (14, 4, [2, 6, 9, 13]), (5, [1, 3], [1, 3])],
)
def test_a_number_of_global_blocks_is_spread_evenly_to_the_end(depth, given, wanted):
    with torch.device('meta'):
        model = ViT({**ARCH, 'depth': depth}, window_size=14, global_attn_indexes=given)
    assert [i for i, block in enumerate(model.blocks) if block.windows is None] == wanted


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'window_size': 0, 'global_attn_indexes': 1}, 'window_size=0'),
        ({'window_size': 14, 'global_attn_indexes': 4}, 'below the depth 4'),
        (
            {'window_size': 14, 'global_attn_indexes': [1, 4]},
            r'global_attn_indexes=\[1, 4\].*0 to 3',
        ),
        ({'window_size': 14, 'global_attn_indexes': -1}, 'global_attn_indexes=-1'),
        ({'global_attn_indexes': 2}, 'requires window_size'),
    ],
)
def test_what_has_no_meaning_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        ViT(DEEPER, **options)


def test_a_recursion_cuts_no_slices_where_there_are_windows():
    options = {'window_size': 3, 'global_attn_indexes': [1]}
    with pytest.raises(ValueError, match='groups: the attention uses windows'):
        ViT(ARCH, **options, recursion={'groups': [2, 1]})
    repeated = ViT(ARCH, **options, recursion={'passes': 2, 'nll_ratio': 1}).eval()
    assert repeated(image(*SIZES[0]))[0].isfinite().all()


@torch.no_grad()
def test_the_class_token_alone_comes_out_of_windows_too():
    options = {'img_size': 64, 'out_type': 'cls_token', 'window_size': 3}
    model = ViT(ARCH, **options, global_attn_indexes=0).eval()
    x = image(*SIZES[0])
    torch.testing.assert_close(model.fuse_for_inference()(x)[0], model(x)[0], atol=2e-5, rtol=1e-4)


@pytest.mark.parametrize('with_cp', [False, True])
def test_a_graph_learns_the_same_at_sizes_that_windows_do_not_divide(with_cp):
    torch.manual_seed(0)
    options = {'img_size': 64, 'window_size': 3, 'global_attn_indexes': [1], 'with_cp': with_cp}
    model = ViT(ARCH, **options).train()
    compiled = torch.compile(model, fullgraph=not with_cp, backend='eager')
    for size in (SIZES[0], (130, 100)):  # grids of 5 x 7 and 9 x 7
        gradients = [
            torch.autograd.grad(run(image(*size))[0].square().sum(), [*model.parameters()])
            for run in (model, compiled)
        ]
        assert all(gradient.abs().sum() > 0 for gradient in gradients[0])
        for ours, wanted in zip(*gradients, strict=True):
            assert torch.equal(ours, wanted)
    torch._dynamo.reset()
