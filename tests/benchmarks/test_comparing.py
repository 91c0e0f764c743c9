"""Forms of one model are timed only where they answer alike."""

from argparse import Namespace

import pytest
import torch

from benchmarks.comparing import Case, compared
from vitbackbones.errors import InputError

from .toy import build

OPTIONS = Namespace(features=False, device=torch.device('cpu'), repeats=1, warm_up=0)


def build_scaled(factor):
    def scaled(name, size, features):
        model = build(name, size, features)
        with torch.no_grad():
            model.line.weight.mul_(factor)
        return model

    return scaled


def run(precision='float32', step='forward', **sources):
    case = Case(step, 'eager', precision, (4, 4), 2)
    models = [f'{source}:a' for source in sources]
    return [row['form'] for row in compared(models, case, OPTIONS, sources)]


def test_forms_with_the_same_answers_are_compared():
    assert run(ours=build, fused=build_scaled(1 + 1e-6)) == ['ours:a', 'fused:a']
    assert len(run(ours=build, fused_bf16=build_scaled(1.02))) == 2
    assert len(run('bfloat16', ours=build, fused=build_scaled(1.02))) == 2
    assert len(run(ours=build, timm=build_scaled(2))) == 2  # another model


@pytest.mark.parametrize('form', ['fused', 'onnxruntime', 'openvino'])
def test_a_form_that_answers_otherwise_is_refused(form):
    with pytest.raises(InputError, match=f'{form}:a: its answers differ by 0.0.*to 0.0001'):
        run(ours=build, **{form: build_scaled(1.02)})


def test_nan_is_no_equal_answer():
    with pytest.raises(InputError, match='fused:a: its answers differ by nan'):
        run(ours=build, fused=build_scaled(float('nan')))


def test_made_for_inference_is_not_trained():
    with pytest.raises(InputError, match='fused_bf16:a: this form cannot be trained'):
        run(step='train', ours=build, fused_bf16=build)
