"""What of mmpretrain's samples is drawn: the image, and the names of its classes."""

import numpy as np
import torch
from mmpretrain.structures import DataSample

from vitbackbones.tasks.classification import browse
from vitbackbones.tasks.classification.task import Classification

META = {'classes': ('cat', 'dog', 'a class of a very long name that does not fit a picture')}
PIXELS = np.zeros((64, 64, 3), np.uint8)


def texts(sample, monkeypatch, meta=META):
    written = []
    monkeypatch.setattr(
        browse, 'write_label', lambda draw, corner, text, color: written.append(text)
    )
    drawn = browse.draw(PIXELS, sample, meta, 400)
    assert drawn.picture.size == (192, 192)
    return written


def test_the_class_is_named(monkeypatch):
    assert texts(DataSample().set_gt_label(1), monkeypatch) == ['dog']


def test_mixed_classes_are_named_with_their_shares(monkeypatch):
    sample = DataSample().set_gt_label(0).set_gt_score(torch.tensor([0.25, 0.75, 0.0]))
    assert texts(sample, monkeypatch) == ['75% dog', '25% cat']
    whole = DataSample().set_gt_label(0).set_gt_score(torch.tensor([1.0, 0.0, 0.0]))
    assert texts(whole, monkeypatch) == ['cat']


def test_a_long_name_is_cut_to_the_picture(monkeypatch):
    (text,) = texts(DataSample().set_gt_label(2), monkeypatch)
    assert text.startswith('a class of')
    assert text.endswith('...')


def test_a_name_without_end_is_cut_at_once(monkeypatch):
    (text,) = texts(DataSample().set_gt_label(0), monkeypatch, {'classes': ('x\n' * 10**6,)})
    assert text.startswith(r'x\nx\nx')
    assert len(text) < 50


def test_without_names_nothing_is_written(monkeypatch):
    assert texts(DataSample().set_gt_label(0), monkeypatch, meta={}) == []
    assert texts(DataSample(), monkeypatch) == []


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
