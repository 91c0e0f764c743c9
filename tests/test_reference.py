"""Every model equals its plain form, in its outputs and in the gradient of every parameter.

And the form for inference equals it.
"""

import pytest
import torch

from tests.conftest import shallow
from tests.reference.models import PlainModel
from vitbackbones import create_model
from vitbackbones.backbones.names import MODELS

NAMES = {
    **{entry[0]: name for name, entry in reversed(MODELS.items())},
    'distillation token': 'deit_ti_distilled',
    'groups': 'sret_s',
    'no groups': 'sret_t_global',
    'softmax tokens': 't2t_t_14',
    'legacy': 'tnt_s_legacy',
    'excited': 'tnt_s_se',
}


def make(name):
    """A shallow model in float64 whose parameters are all away from their initial values."""
    torch.manual_seed(0)
    arch = shallow(MODELS[name][0])
    if 'swin' in name:
        arch['depths'] = (2, 1, 1, 1)  # the second block's windows are shifted
    options = {'permutation': 'random'} if name.startswith('sret') else {}
    model = create_model(name, num_classes=5, img_size=64, arch=arch, **options).double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter), alpha=0.02)
    return model


def answer(form, model, image):
    torch.manual_seed(3)  # SReT's permutations
    logits = form(image)
    learned = [p for p in model.parameters() if p.requires_grad]
    return [logits, *torch.autograd.grad(logits.square().sum(), learned)]


@pytest.mark.parametrize('name', sorted(set(NAMES.values())))
def test_a_model_is_the_function_that_its_plain_form_is(name):
    model = make(name).train(name.startswith('sret'))  # its BatchNorms too
    image = torch.randn(2, 3, 64, 64, generator=torch.Generator().manual_seed(1)).double()
    ours, plain = (answer(form, model, image) for form in (model, PlainModel(model)))
    for got, expected in zip(ours, plain, strict=True):
        scale = expected.abs().max() + 1e-3
        torch.testing.assert_close(got / scale, expected / scale, atol=1e-5, rtol=0)


@pytest.mark.parametrize('name', sorted(set(NAMES.values())))
@torch.no_grad()
def test_the_form_for_inference_is_the_same_function(name):
    model = make(name).float().eval()
    image = torch.randn(2, 3, 64, 64, generator=torch.Generator().manual_seed(1))
    fused = model.fuse_for_inference()
    torch.manual_seed(3)  # SReT's permutations
    expected = model(image)
    torch.manual_seed(3)
    torch.testing.assert_close(fused(image), expected, atol=1e-5, rtol=1e-5)
