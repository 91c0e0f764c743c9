"""Graphs as files: operators that are not torch's own, in ONNX Runtime and OpenVINO."""

import logging

import numpy as np
import pytest
import torch
from torch import nn

from vitbackbones.errors import InputError
from vitbackbones.export import formats
from vitbackbones.export.formats import needs_onnx, trace, translations, write_onnx, write_openvino
from vitbackbones.runtime.runtimes import FORMATS

from ..runtime.test_suppression import GIVEN, STAY, Suppress, boxes_of


@torch.library.custom_op('toy::keep', mutates_args=())
def keep(image: torch.Tensor) -> torch.Tensor:
    return image.clone()


@keep.register_fake
def _(image):
    return torch.empty_like(image)


class Unread(nn.Module):
    """Call an operator that no runtime knows."""

    def forward(self, image):
        return (keep(image),)


@pytest.fixture(scope='module')
def program():
    batch = torch.export.Dim('batch')
    given = (boxes_of(2), GIVEN[:2])
    return torch.export.export(Suppress(), given, dynamic_shapes=({0: batch}, {0: batch}))


@pytest.fixture(scope='module')
def file(program, tmp_path_factory):
    file = tmp_path_factory.mktemp('graph') / 'suppress.onnx'
    torch.onnx.export(program, custom_translation_table=translations(), verbose=False).save(file)
    return file


def in_onnxruntime(file):
    import onnxruntime

    session = onnxruntime.InferenceSession(file)
    names = [each.name for each in session.get_inputs()]
    return lambda *given: session.run(None, dict(zip(names, given, strict=True)))[0]


def in_openvino(file):
    import openvino

    model = openvino.Core().compile_model(file, 'CPU')
    return lambda *given: model(list(given))[0]


@pytest.mark.parametrize('start', [in_onnxruntime, in_openvino])
def test_suppression_finds_the_same_in_batches_of_any_size(file, start):
    run = start(file)
    for images in (1, 4):
        stays = run(boxes_of(images).numpy(), GIVEN[:images].numpy())
        assert stays.tolist() == STAY[:images].tolist()


def test_a_graph_tells_whether_it_holds_one(program):
    assert needs_onnx(program)
    assert not needs_onnx(torch.export.export(nn.Linear(4, 2), (torch.ones(1, 4),)))


class LargerSide(nn.Module):
    """Give the larger of two sides, which a graph of any size computes."""

    def forward(self, image):
        return (image.mean((1, 2, 3)) * torch.sym_max(image.shape[2], image.shape[3]),)


def test_a_choice_of_open_sides_reaches_openvino(tmp_path):
    program = trace(LargerSide(), torch.ones(1, 3, 40, 48), ('size',))
    write_openvino(program, ['side'], tmp_path / 'model.xml')
    run = in_openvino(tmp_path / 'model.xml')
    for size in ((32, 64), (72, 24)):
        assert run(np.ones((1, 3, *size), np.float32)) == max(size)


def test_what_openvino_does_not_read_is_one_message(tmp_path):
    program, root = trace(Unread(), torch.ones(1, 3, 8, 8), ()), logging.getLogger()
    before = root.level, [*root.filters], [*root.handlers]
    with pytest.raises(InputError, match='OpenVINO cannot read the graph: .*try --to onnx'):
        write_openvino(program, ['kept'], tmp_path / 'model.xml')
    assert (root.level, root.filters, root.handlers) == before


class Guarded(nn.Module):
    """Divide by what may be smaller than what is added to it, as Performer attention does."""

    def forward(self, image):
        return (image / (image.sum(-1, keepdim=True) + 1e-8),)


def test_small_numbers_stay_in_the_graph(tmp_path):
    runtime = pytest.importorskip('onnxruntime')
    pytest.importorskip('onnxscript')
    image = torch.full((1, 3, 4, 4), 1e-9)
    write_onnx(trace(Guarded(), image, ()), ('out',), tmp_path / 'model.onnx')
    (found,) = runtime.InferenceSession(tmp_path / 'model.onnx').run(None, {'image': image.numpy()})
    np.testing.assert_allclose(found, Guarded()(image)[0], rtol=1e-6)


class Masked(nn.Module):
    """Two layers of attention in which no query sees the last keys."""

    def __init__(self, queries, dynamic):
        super().__init__()
        self.queries = queries
        self.dynamic = dynamic

    def forward(self, image):
        tokens = image.flatten(2).mT[:, None]  # (N, 1, L, 3)
        hidden = torch.arange(tokens.shape[2]) > 10
        mask = torch.zeros(1, 1, 1, tokens.shape[2]).masked_fill(hidden, -torch.inf)
        if self.dynamic:
            mask = mask + image[:, :1, :1, :1] * 0  # (N, 1, 1, L), not constant
        x = tokens
        for _ in range(2):
            x = nn.functional.scaled_dot_product_attention(
                x[:, :, : self.queries], tokens, tokens, mask
            )
        return (x,)


@pytest.mark.parametrize('dynamic', [False, True])
@pytest.mark.parametrize('open_size', [False, True])
@pytest.mark.parametrize('queries', [8, None])
def test_masks_of_one_row_are_read_alike_in_bfloat16(tmp_path, queries, dynamic, open_size):
    import openvino

    file, image = tmp_path / 'masked.xml', torch.rand(2, 3, 8, 8)
    network = Masked(queries, dynamic).eval()
    write_openvino(trace(network, image, ('size',) if open_size else ()), ['x'], file)
    core = openvino.Core()
    model = core.read_model(file)
    for node in model.get_ops():
        if node.get_type_name() == 'ScaledDotProductAttention':
            rows = node.input(3).get_partial_shape()[-2]
            assert rows == node.input(0).get_partial_shape()[-2]
    wanted = network(image)[0].numpy()
    # with open sizes OpenVINO 2026.4.1 refuses such attention in bfloat16, with or without a mask
    for precision in ('f32',) if open_size else ('f32', 'bf16'):
        found = core.compile_model(model, 'CPU', {'INFERENCE_PRECISION_HINT': precision})(
            image.numpy()
        )
        np.testing.assert_allclose(found[0], wanted, atol=1e-5 if precision == 'f32' else 0.02)


def test_each_format_has_the_function_that_writes_it():
    assert [name for name in FORMATS if not callable(getattr(formats, f'write_{name}', None))] == []
