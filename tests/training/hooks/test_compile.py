"""Regions are compiled once for all sizes, and everything else about a run stays as it is."""

import copy
import logging
from types import SimpleNamespace

import pytest
import torch
from torch import nn
from torch._dynamo.testing import CompileCounterWithBackend

from vitbackbones.backbones import ViT
from vitbackbones.errors import InputError
from vitbackbones.training.hooks.compile import CompileHook, regions

from ...tasks.detection.test_detr import build, make_batch, needs_whole_graphs, total_loss

pytestmark = pytest.mark.compat
SIZES = [(64, 64), (64, 96), (96, 64), (128, 96), (96, 160), (160, 128)]


@pytest.fixture(autouse=True)
def _limits():
    """The limits of the compiler, and its graphs, are put back."""
    with torch._dynamo.config.patch(cache_size_limit=8):
        yield
    torch._dynamo.reset()


def compiled(model):
    """Compile the regions of a model; returns what counts the graphs."""
    counter = CompileCounterWithBackend('eager')
    CompileHook(backend=counter).before_train(SimpleNamespace(model=model))
    return counter


@needs_whole_graphs
def test_a_detector_of_six_sizes_compiles_each_region_at_most_twice():
    model = build('vitbackbones.DETR').train()
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
        if isinstance(module, nn.MultiheadAttention):
            module.dropout = 0.0
    plain = copy.deepcopy(model)
    counter = compiled(model)
    kinds = {type(module).__name__ for module in regions(model)}
    assert kinds == {'DetrTransformerEncoderLayer', 'DetrTransformerDecoderLayer'}
    for size in SIZES:
        images, samples = make_batch([size, (size[0] - 5, size[1])], (3, 2))
        loss = total_loss(model, images, samples)
        torch.testing.assert_close(loss, total_loss(plain, images, samples), rtol=1e-5, atol=0)
        loss.backward()
    assert len(kinds) <= counter.frame_count <= 2 * len(kinds)


def tiny(**options):
    torch.manual_seed(0)
    arch = {'embed_dims': 16, 'depth': 4, 'num_heads': 2}
    return ViT(arch=arch, img_size=32, patch_size=8, **options).train()


def test_parameters_keys_evaluation_and_copies_stay():
    model, plain = tiny(), tiny()
    counter = compiled(model)
    assert list(model.state_dict()) == list(plain.state_dict())
    image = torch.randn(1, 3, 32, 32)
    assert torch.equal(model.eval()(image)[0], plain.eval()(image)[0])
    assert counter.frame_count == 0
    other = copy.deepcopy(model).train()
    nn.init.zeros_(other.blocks[0].mlp.fc2.weight)
    assert not torch.equal(other(image)[0], model.train()(image)[0])
    assert counter.frame_count > 0


def test_a_machine_without_a_compiler_is_told_so_before_the_first_step():
    with (
        torch._inductor.config.patch({'cpp.cxx': (None, '/nonexistent/g++')}),
        pytest.raises(InputError, match=r'no C\+\+ compiler .*, or remove --compile'),
    ):
        CompileHook().before_train(SimpleNamespace(model=tiny()))


def test_a_model_without_regions_is_named(caplog):
    runner = SimpleNamespace(model=nn.Linear(2, 2), logger=logging.getLogger())
    CompileHook().before_train(runner)
    assert caplog.messages == ['--compile has no effect: no part of this model can be compiled']
