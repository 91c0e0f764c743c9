"""Data samples as answers in numpy, and back."""

import numpy as np
import pytest
import torch
from mmdet.structures import DetDataSample
from mmengine.structures import InstanceData
from mmpretrain.structures import DataSample
from mmseg.structures import SegDataSample

from vitbackbones.openmmlab.samples import fill, to_answer
from vitbackbones.runtime.answers import Classified, Detected, Segmented

RANDOM = np.random.default_rng(0)
OBJECTS = {
    'boxes': RANDOM.random((2, 4), np.float32),
    'scores': RANDOM.random(2, np.float32),
    'labels': np.array([2, 0]),
}


@pytest.mark.parametrize(
    ('kind', 'answer'),
    [
        (DataSample, Classified(np.array([0.2, 0.7, 0.1], np.float32))),
        (SegDataSample, Segmented(RANDOM.integers(0, 9, (4, 5)))),
        (DetDataSample, Detected(**OBJECTS)),
        (DetDataSample, Detected(**OBJECTS, masks=RANDOM.random((2, 4, 5)) > 0.5)),
        (DetDataSample, Detected(segments=RANDOM.integers(0, 2000, (4, 5)))),
    ],
)
def test_an_answer_comes_back_from_a_sample(kind, answer):
    sample = kind()
    fill(sample, answer)
    back = to_answer(sample)
    assert type(back) is type(answer)
    for name, values in vars(answer).items():
        np.testing.assert_array_equal(getattr(back, name), values)
    if kind is DataSample:
        assert sample.pred_label.tolist() == [1]


def test_half_precision_becomes_float32():
    found = InstanceData(bboxes=torch.rand(1, 4).half(), scores=torch.rand(1).bfloat16())
    found.labels = torch.tensor([1])
    answer = to_answer(DetDataSample(pred_instances=found))
    assert answer.boxes.dtype == answer.scores.dtype == np.float32
    assert answer.masks is None
