"""The fused form of OpenMMLab's models answers as they do, through their inference functions."""

import numpy as np
import pytest
import torch
from torch import nn

from vitbackbones.errors import InputError
from vitbackbones.layers import fuse
from vitbackbones.openmmlab.fusing import fuse_model

pytestmark = pytest.mark.compat


def detect(files, image):
    from mmdet.apis import inference_detector, init_detector

    def answer(model):
        found = inference_detector(model, image).pred_instances
        return np.c_[found.bboxes, found.scores]

    return init_detector(*files, device='cpu'), answer


def segment(files, image):
    from mmseg.apis import inference_model, init_model

    model = init_model(*files, device='cpu')
    return model, lambda model: inference_model(model, image).seg_logits.data.numpy()


def classify(files, image):
    from mmpretrain import get_model, inference_model

    model = get_model(*files, device='cpu')
    return model, lambda model: inference_model(model, image)['pred_scores']


ANSWERS = {'det': detect, 'seg': segment, 'cls': classify}


def files(folder, task):
    return [str(folder / f'tiny_{task}.{end}') for end in ('py', 'pth')]


@pytest.mark.parametrize('task', ANSWERS)
def test_a_fused_model_answers_the_same_and_in_bfloat16_nearly(folder, task):
    model, answer = ANSWERS[task](files(folder, task), str(folder / 'images/1.png'))
    state = {key: value.clone() for key, value in model.state_dict().items()}
    expected = answer(model)
    scale = np.abs(expected).max()
    fused = fuse_model(model)
    for form in (fused, fuse_model(fused)):
        np.testing.assert_allclose(answer(form), expected, atol=1e-5 * scale)
    half = fuse_model(model, torch.bfloat16)
    assert next(half.backbone.parameters()).dtype == torch.bfloat16
    found = answer(half)
    assert found.dtype == expected.dtype
    assert 0 < np.abs(found - expected).max() < 0.05 * scale
    assert all(torch.equal(model.state_dict()[key], value) for key, value in state.items())


def test_the_backbone_of_a_model_is_compiled(folder, monkeypatch):
    from mmpretrain import get_model

    compiled = []
    monkeypatch.setattr(fuse, 'compile_call', compiled.append)
    model = fuse_model(get_model(*files(folder, 'cls'), device='cpu'), compile=True)
    assert compiled == [model.backbone]


@pytest.mark.parametrize(
    ('options', 'asked'),
    [({'dtype': torch.bfloat16}, 'bfloat16'), ({'compile': True}, 'compilation')],
)
def test_bfloat16_and_compilation_are_for_backbones_of_this_package(options, asked):
    with pytest.raises(InputError, match=f'^{asked} requires a backbone of vitbackbones, and this'):
        fuse_model(nn.Linear(2, 2), **options)
