"""Swin against torchvision, timm and mmpretrain; what MSF-Swin leaves open; inference."""

import pytest
import torch

from tests.converting import convert
from vitbackbones import create_model
from vitbackbones.backbones import MSFSwin, Swin
from vitbackbones.weights.convert import unwrap

SMALL = {'embed_dims': 8, 'depths': (2, 1, 1, 1), 'num_heads': (1, 2, 2, 4)}


def randomize(model):
    """Make every part matter: the relative positions start at almost nothing."""
    generator = torch.Generator().manual_seed(0)
    for parameter in model.parameters():
        noise = torch.randn(parameter.shape, generator=generator)
        parameter.data = parameter.data + (0.05 if parameter.ndim > 1 else 0.1) * noise
    model.eval()
    return model


def ours_with_weights_of(model, name):
    ours = create_model(name).eval()
    state, found = convert(unwrap({'state_dict': model.state_dict()}))
    ours.load_state_dict(ours.split_converted(state))
    assert found == 'swin'
    return ours


@pytest.mark.parametrize('arch', ['t', 's'])
@torch.no_grad()
def test_equals_torchvision_at_sizes_that_need_padding(arch):
    models = pytest.importorskip('torchvision.models')
    published = randomize(getattr(models, f'swin_{arch}')())
    ours = ours_with_weights_of(published, f'swin_{arch}')
    for size in [(64, 96), (96, 352)] if arch == 't' else [(96, 64)]:
        image = torch.randn(2, 3, *size)
        torch.testing.assert_close(ours(image), published(image), atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_equals_timm():
    timm = pytest.importorskip('timm')
    published = randomize(timm.create_model('swin_tiny_patch4_window7_224'))
    image = torch.randn(1, 3, 224, 224)
    ours = ours_with_weights_of(published, 'swin_t')
    torch.testing.assert_close(ours(image), published(image), atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_equals_mmpretrain():
    backbones = pytest.importorskip('mmpretrain.models.backbones')
    published = randomize(backbones.SwinTransformer('tiny'))
    ours = Swin('t', out_indices=3).eval()
    state, _ = convert(unwrap({f'backbone.{k}': v for k, v in published.state_dict().items()}))
    ours.load_state_dict(state)
    image = torch.randn(1, 3, 224, 224)
    torch.testing.assert_close(ours(image)[0], published(image)[0], atol=1e-5, rtol=1e-5)


def test_the_unknowns_of_msf_swin_are_options():
    names = [name for name, _ in MSFSwin(SMALL).named_parameters()]
    assert any(name.endswith('bias_table') for name in names)
    attention = {'type': 'MeanShiftAttention', 'proj_bias': False}
    bare = MSFSwin(SMALL, attention=attention, qkv_bias=False, position_bias=False)
    names = [name for name, _ in bare.named_parameters() if 'attn' in name or 'table' in name]
    assert names
    assert all(name.endswith(('qkvp.weight', 'proj.weight')) for name in names)
    assert all(x.isfinite().all() for x in bare(torch.randn(1, 3, 70, 64)))


class NoScores(torch.nn.Module):
    """An attention that has no place for a bias."""

    def __init__(self, embed_dims, **options):
        super().__init__()


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'attention': {'type': NoScores}}, 'NoScores.*shifted windows'),
        ({'out_type': 'cls_token'}, 'no class token'),
        ({'window': 0}, 'window=0'),
    ],
)
def test_what_it_cannot_do_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Swin(SMALL, **options)


@pytest.mark.parametrize('cls', [Swin, MSFSwin])
@torch.no_grad()
def test_a_graph_of_whole_and_padded_windows_answers_the_same(cls):
    arch = {'embed_dims': 16, 'depths': (2, 2), 'num_heads': (2, 4)}
    model, image = cls(arch, window=4, out_indices=(0, 1)).eval(), torch.randn(1, 3, 20, 100)
    compiled = torch.compile(model, fullgraph=True, dynamic=False, backend='aot_eager')
    torch.testing.assert_close(compiled(image)[1], model(image)[1], atol=2e-5, rtol=1e-4)
    torch._dynamo.reset()


@pytest.mark.parametrize('assign', [False, True])
@torch.no_grad()
def test_a_model_from_the_meta_device_answers_as_the_one_that_fills_it(assign):
    image = torch.randn(1, 3, 64, 64)
    arch = {'embed_dims': 24, 'depths': (1, 2), 'num_heads': (1, 2)}
    made = Swin(arch, out_indices=(1,))
    with torch.device('meta'):
        empty = Swin(arch, out_indices=(1,))
    if not assign:
        empty.to_empty(device='cpu')
        for buffer in empty.buffers():
            buffer.fill_(7)  # what was in memory
    empty.load_state_dict(made.state_dict(), assign=assign)
    assert torch.equal(empty.eval()(image)[0], made.eval()(image)[0])
