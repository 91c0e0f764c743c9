"""Other runtimes compute what the model does, and what they lack is one message."""

import sys

import pytest
import torch
from torch import nn

from vitbackbones.benchmarking.model_sources import SOURCES, build_model
from vitbackbones.benchmarking.runtimes import Exported, as_onnx
from vitbackbones.errors import InputError
from vitbackbones.exported.runtimes import start_onnxruntime, start_openvino

STARTS = {'onnxruntime': start_onnxruntime, 'openvino': start_openvino}


class Sorted(nn.Module):
    def forward(self, x):
        return torch.sort(x, stable=True)[0]


@pytest.mark.parametrize('package', STARTS)
def test_a_runtime_answers_as_the_model(package):
    pytest.importorskip('onnx')
    pytest.importorskip(package)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.GELU(), nn.Flatten(), nn.Linear(4 * 6 * 6, 5))
    image = torch.randn(2, 3, 8, 8)
    exported = Exported(model.eval(), STARTS[package])
    with torch.inference_mode():
        torch.testing.assert_close(exported(image), model(image), atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(exported(-image), model(-image), atol=1e-5, rtol=1e-5)


def test_sliced_attention_can_be_exported():
    pytest.importorskip('onnx')
    model = build_model('folded:sret_t', (32, 32), SOURCES)
    assert b'fc1' in as_onnx(model, torch.randn(1, 3, 32, 32))


def test_what_onnx_lacks_is_named_and_nothing_else_is_said(capfd):
    pytest.importorskip('onnx')
    with pytest.raises(InputError, match='cannot be exported to ONNX: .*Sort'):
        Exported(Sorted().eval(), start_onnxruntime)(torch.randn(1, 3, 4, 4))
    assert capfd.readouterr() == ('', '')


@pytest.mark.parametrize('package', STARTS)
def test_a_package_that_is_missing_is_named_with_its_command(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=f'{package}.*pip install {package}'):
        STARTS[package](b'')


def test_a_missing_onnx_is_named_with_its_command(monkeypatch):
    monkeypatch.setitem(sys.modules, 'onnx', None)
    with pytest.raises(InputError, match='onnx.*pip install onnx'):
        as_onnx(nn.Identity(), torch.zeros(1, 3, 4, 4))


def test_other_precisions_are_refused():
    exported = Exported(nn.Identity(), start_onnxruntime)
    with pytest.raises(InputError, match='in float32 only'):
        exported(torch.zeros(1, 3, 4, 4, dtype=torch.bfloat16))
