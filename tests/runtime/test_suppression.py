"""Suppression in a graph: each image by itself, and kept in torch's files."""

import subprocess
import sys

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


def test_operators_are_there_in_a_new_process():
    code = (
        'import torch; from vitbackbones.runtime.suppression import suppress;'
        'print(suppress(torch.zeros(1, 1, 4), torch.ones(1, 1), 0.5).tolist())'
    )
    run = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert run.stdout == '[[True]]\n'


def test_boxes_that_overlap_by_just_the_threshold_stay():
    pair = BOXES[None, :2]
    scores = torch.tensor([[0.9, 0.8]])
    assert suppress(pair, scores, 0.6).tolist() == [[True, True]]
    assert suppress(pair, scores, 0.59).tolist() == [[True, False]]
    assert suppress(pair[:, :0], scores[:, :0], 0.5).shape == (1, 0)
