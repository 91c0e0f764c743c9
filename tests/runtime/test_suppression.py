"""Suppression in a graph: each image by itself, and kept in torch's files."""

import torch
from torch import nn

from vitbackbones.runtime.suppression import suppress

# the first two overlap by 0.6, the third lies apart, the fourth has no area
BOXES = torch.tensor([[0, 0, 10, 10], [0, 0, 10, 6], [20, 0, 30, 10], [5, 5, 5, 5]]).float()
# The better of two stays, whichever comes first; a score of 0 is no box.
GIVEN = torch.tensor([[0.9, 0.8, 0.7, 0.6], [0.8, 0.9, 0.7, 0.6], [0, 0.8, 0.7, 0], [0] * 4])
STAY = torch.tensor([[1, 0, 1, 1], [0, 1, 1, 1], [0, 1, 1, 0], [0] * 4]).bool()


class Suppress(nn.Module):
    def forward(self, boxes, scores):
        return suppress(boxes, scores, 0.5)


def boxes_of(images):
    """The boxes of so many images, all at the same places."""
    return BOXES.expand(images, -1, -1).contiguous()


def test_of_boxes_that_overlap_the_best_of_each_image_stays():
    assert torch.equal(suppress(boxes_of(4), GIVEN, 0.5), STAY)


def test_a_file_of_torch_keeps_the_operator(tmp_path):
    file = tmp_path / 'suppress.pt2'
    torch.export.save(torch.export.export(Suppress(), (boxes_of(4), GIVEN)), file)
    assert torch.equal(torch.export.load(file).module()(boxes_of(4), GIVEN), STAY)
