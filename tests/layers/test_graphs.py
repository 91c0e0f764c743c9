"""One program of a whole network: the same answers, and a network that is otherwise as before."""

import copy
import pickle
import shutil

import pytest
import torch
from torch import nn
from torch._inductor import cpp_builder, exc

from vitbackbones.backbones import ViT
from vitbackbones.errors import InputError
from vitbackbones.layers import fuse_for_inference, graphs

needs_a_compiler = pytest.mark.skipif(not shutil.which('g++'), reason='no C++ compiler')


@pytest.fixture(autouse=True)
def _limits():
    """The limits of the compiler, and its programs, are put back."""
    with torch._dynamo.config.patch(cache_size_limit=8):
        yield
    torch._dynamo.reset()


@pytest.fixture
def programs(monkeypatch):
    """Return what counts the programs, which are as quick to make as can be."""
    compile, made = torch.compile, []

    def backend(graph, inputs):
        made.append(torch.is_grad_enabled())
        return graph

    monkeypatch.setattr(torch, 'compile', lambda call: compile(call, backend=backend))
    return made


def tiny(**options):
    torch.manual_seed(0)
    arch = {'embed_dims': 16, 'depth': 1, 'num_heads': 2}
    return ViT(arch=arch, img_size=32, out_type='featmap', **options).eval()


def images(count=2, width=32):
    return torch.randn(count, 3, 32, width, generator=torch.Generator().manual_seed(0))


@needs_a_compiler
@pytest.mark.parametrize('dtype', [None, pytest.param(torch.bfloat16, marks=pytest.mark.grid)])
def test_a_compiled_copy_answers_the_same(dtype, monkeypatch):
    monkeypatch.setenv('_TORCHINDUCTOR_PYOBJECT_TENSOR_DATA_PTR', '')  # torch writes it
    model = tiny()
    form = model.fuse_for_inference(dtype=dtype, compile=True)
    (found,), (expected,) = form(images()), model(images())
    tolerance = 2e-5 if dtype is None else 0.1
    torch.testing.assert_close(found, expected, atol=tolerance, rtol=tolerance)
    assert (found.dtype, found.requires_grad) == (torch.float32, False)


def test_a_program_is_made_once_for_a_shape_and_once_for_all_others(programs):
    model = tiny()
    form = model.fuse_for_inference(compile=True)
    assert not programs
    for count, made in ((2, 1), (2, 1), (3, 2), (5, 2)):
        torch.testing.assert_close(form(images(count)), model(images(count)))
        assert len(programs) == made
    assert not any(programs), 'with gradients, weights are no constants'


def test_models_of_one_kind_do_not_take_the_programs_of_each_other(programs):
    for count in range(1, 14):
        tiny(drop_rate=count / 100).fuse_for_inference(compile=True)(images())
        assert len(programs) == count


def test_keys_stay_and_copies_and_pickles_answer_the_same(programs):
    fused = tiny().fuse_for_inference()
    form = fuse_for_inference(fused, compile=True)
    assert list(form.state_dict()) == list(fused.state_dict())
    for other in (copy.deepcopy(form), pickle.loads(pickle.dumps(form))):
        torch.testing.assert_close(other(images()), fused(images()))
    assert not programs


def test_who_records_it_sees_what_it_was_made_of(programs):
    fused = tiny().fuse_for_inference()
    form = fuse_for_inference(fused, compile=True)
    exported = torch.export.export(form, (images(),)).module()
    torch.testing.assert_close(exported(images()), fused(images()))
    assert not programs
    torch.compile(form)(images())
    assert len(programs) == 1


def test_a_machine_without_a_compiler_is_refused_at_once(monkeypatch):
    def missing():
        raise exc.InvalidCxxCompiler

    monkeypatch.setattr(cpp_builder, 'get_cpp_compiler', missing)
    with pytest.raises(InputError, match='no C.. compiler was found. Install one'):
        fuse_for_inference(nn.Linear(2, 2), compile=True)
    fuse_for_inference(nn.Linear(2, 2))
    with pytest.raises(InputError, match='remove --compile'):
        graphs.require_compiler()
