"""Which layout the keys of a file are taken for."""

import pytest
import torch

from tests.golden.fill import fill_state_dict, load
from tests.test_golden import FILES, FOLDER
from vitbackbones import create_model, list_models
from vitbackbones.weights.convert import FORMATS, OWN, find_format


@pytest.mark.parametrize('name', list_models())
def test_our_own_keys_are_of_no_other_layout(name):
    with torch.device('meta'):
        state = create_model(name, num_classes=0).backbone.state_dict()
    assert find_format(state) in OWN


@pytest.mark.parametrize('name', FILES)
def test_a_published_file_is_of_one_layout_whatever_their_order(name):
    state = fill_state_dict(load(name, FOLDER))
    others = [each for each, layout in FORMATS.items() if each not in OWN and layout.detect(state)]
    assert others in ([], [find_format(state)])


def test_our_own_keys_come_last():
    assert tuple(FORMATS)[-len(OWN) :] == OWN
