"""What of mmpretrain's samples is drawn: the image, and the names of its classes."""

import numpy as np
import pytest
import torch
from mmpretrain.structures import DataSample

from vitbackbones.inference.drawing.sheet import text_label
from vitbackbones.tasks.classification import browse
from vitbackbones.tasks.classification.task import Classification


def of(label=None, scores=None):
    sample = DataSample()
    if label is not None:
        sample.set_gt_label(label)
    if scores is not None:
        sample.set_gt_score(torch.tensor(scores))
    return sample


@pytest.mark.parametrize(
    ('sample', 'classes', 'named'),
    [
        (of(1), ('cat', 'dog'), ['dog']),
        (of(0, [0.25, 0.75, 0.0]), ('cat', 'dog', 'cow'), ['75% dog', '25% cat']),
        (of(0, [1.0, 0.0]), ('cat', 'dog'), ['cat']),
        (
            of(0),
            ('a class of a very long name that does not fit',),
            ['a class of a very long name...'],
        ),
        (of(0), (), []),
        (of(), ('cat', 'dog'), []),
    ],
)
def test_classes_are_named(sample, classes, named, monkeypatch):
    texts = []

    def noted(text, color):
        texts.append(text)
        return text_label(text, color)

    monkeypatch.setattr(browse, 'text_label', noted)
    drawn = browse.draw(np.zeros((64, 64, 3), np.uint8), sample, {'classes': classes}, 400)
    assert drawn.picture.size == (192, 192)
    assert texts == named


def test_the_preprocessor_mixes_as_the_model_says():
    mixes = {'augments': [{'type': 'Mixup', 'alpha': 0.8}]}
    model = {'train_cfg': mixes, 'data_preprocessor': {'num_classes': 3}}
    assert Classification().preprocessor(model) == {
        'type': 'ClsDataPreprocessor',
        'batch_augments': mixes,
        'num_classes': 3,
    }
    given = {'type': 'vitbackbones.ErasingPreprocessor', 'batch_augments': None}
    assert Classification().preprocessor({'train_cfg': mixes, 'data_preprocessor': given}) == given
