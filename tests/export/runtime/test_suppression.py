"""Suppression in a graph: each image by itself, and kept in torch's files."""

import pytest
import torch
from torch import nn

from vitbackbones.export.runtime.suppression import suppress

# the first two overlap by 0.6, the third lies apart, the fourth has no area
BOXES = torch.tensor([[0, 0, 10, 10], [0, 0, 10, 6], [20, 0, 30, 10], [5, 5, 5, 5]]).float()
SCORES = {
    'the better of two stays': ([0.9, 0.8, 0.7, 0.6], [True, False, True, True]),
    'whichever comes first': ([0.8, 0.9, 0.7, 0.6], [False, True, True, True]),
    'a score of 0 is no box': ([0.0, 0.8, 0.7, 0.0], [False, True, True, False]),
    'nothing at all': ([0.0, 0.0, 0.0, 0.0], [False, False, False, False]),
}
GIVEN = torch.tensor([scores for scores, _ in SCORES.values()])
STAY = torch.tensor([stays for _, stays in SCORES.values()])


class Suppress(nn.Module):
    def forward(self, boxes, scores):
        return suppress(boxes, scores, 0.5)


def boxes_of(images):
    """The boxes of so many images, all at the same places."""
    return BOXES.expand(images, -1, -1).contiguous()


@pytest.mark.parametrize('name', SCORES)
def test_of_boxes_that_overlap_the_best_stays(name):
    scores, stays = SCORES[name]
    found = suppress(boxes_of(1), torch.tensor([scores]), 0.5)
    assert found.tolist() == [stays]


def test_images_do_not_see_each_other():
    assert torch.equal(suppress(boxes_of(4), GIVEN, 0.5), STAY)


def test_an_overlap_of_just_the_threshold_stays():
    assert suppress(boxes_of(1), GIVEN[:1], 0.6).tolist() == [[True] * 4]


def test_a_file_of_torch_keeps_the_operator(tmp_path):
    file = tmp_path / 'suppress.pt2'
    torch.export.save(torch.export.export(Suppress(), (boxes_of(4), GIVEN)), file)
    assert torch.equal(torch.export.load(file).module()(boxes_of(4), GIVEN), STAY)
