"""The fused form of OpenMMLab's models answers as they do, through their inference functions."""

import numpy as np
import pytest
import torch
from torch import nn

from vitbackbones.errors import InputError
from vitbackbones.layers.inference import fuse
from vitbackbones.openmmlab.fusing import fuse_model

pytestmark = pytest.mark.compat


def detect(model, image):
    from mmdet.apis import inference_detector

    found = inference_detector(model, image).pred_instances
    return np.c_[found.bboxes, found.scores]


def segment(model, image):
    from mmseg.apis import inference_model

    return inference_model(model, image).seg_logits.data.numpy()


def classify(model, image):
    from mmpretrain import inference_model

    return inference_model(model, image)['pred_scores']


def build(task, folder):
    from mmdet.apis import init_detector
    from mmpretrain import get_model
    from mmseg.apis import init_model

    builders = {'det': init_detector, 'seg': init_model, 'cls': get_model}
    files = str(folder / f'tiny_{task}.py'), str(folder / f'tiny_{task}.pth')
    return builders[task](*files, device='cpu')


ANSWERS = {'det': detect, 'seg': segment, 'cls': classify}


@pytest.mark.parametrize('task', ANSWERS)
def test_a_fused_model_answers_the_same_and_in_bfloat16_nearly(folder, task):
    answer, image = ANSWERS[task], str(folder / 'images/1.png')
    model = build(task, folder)
    state = {key: value.clone() for key, value in model.state_dict().items()}
    expected = answer(model, image)
    scale = np.abs(expected).max()
    fused = fuse_model(model)
    for form in (fused, fuse_model(fused)):
        np.testing.assert_allclose(answer(form, image), expected, atol=1e-5 * scale)
    half = fuse_model(model, torch.bfloat16)
    assert next(half.backbone.parameters()).dtype == torch.bfloat16
    found = answer(half, image)
    assert found.dtype == expected.dtype
    assert 0 < np.abs(found - expected).max() < 0.05 * scale
    assert all(torch.equal(model.state_dict()[key], value) for key, value in state.items())


def test_an_inferencer_takes_a_fused_model(folder):
    from mmseg.apis import MMSegInferencer

    inferencer = MMSegInferencer(
        str(folder / 'tiny_seg.py'), str(folder / 'tiny_seg.pth'), device='cpu'
    )
    images = [str(path) for path in sorted((folder / 'images').iterdir())]
    expected = inferencer(images)['predictions']
    inferencer.model = fuse_model(inferencer.model)
    for mask, wanted in zip(inferencer(images)['predictions'], expected, strict=True):
        assert np.mean(mask == wanted) > 0.999  # rounding may decide between two classes


def test_the_backbone_of_a_model_is_compiled(folder, monkeypatch):
    compiled = []
    monkeypatch.setattr(fuse, 'compile_call', compiled.append)
    model = fuse_model(build('det', folder), compile=True)
    assert compiled == [model.backbone]


@pytest.mark.parametrize(
    ('options', 'asked'),
    [({'dtype': torch.bfloat16}, 'bfloat16'), ({'compile': True}, 'compilation')],
)
def test_bfloat16_and_compilation_are_for_backbones_of_this_package(options, asked):
    with pytest.raises(InputError, match=f'^{asked} is for backbones of vitbackbones, and this'):
        fuse_model(nn.Linear(2, 2), **options)
