"""The focal loss against its equation, differentiated by autograd."""

import pytest
import torch
from mmcv.ops import sigmoid_focal_loss

pytestmark = pytest.mark.compat
TARGETS = torch.tensor([0, 2, 3, 1, 3, 0])


@pytest.mark.parametrize('weight', [None, torch.tensor([1.0, 0.5, 2])])
def test_losses_and_gradients_are_those_of_the_equation(weight):
    logits = torch.randn(6, 3, requires_grad=True)
    yes = torch.nn.functional.one_hot(TARGETS, 4)[:, :3].bool()  # 3 is the background
    p = torch.where(yes, logits.sigmoid(), 1 - logits.sigmoid())
    expected = -torch.where(yes, 0.3, 0.7) * (1 - p) ** 1.7 * p.log()
    if weight is not None:
        expected = expected * torch.cat([weight, torch.ones(1)])[TARGETS][:, None]
    found = sigmoid_focal_loss(logits, TARGETS, 1.7, 0.3, weight, 'none')
    torch.testing.assert_close(found, expected)
    wanted = torch.autograd.grad(expected.sum(), logits)
    torch.testing.assert_close(torch.autograd.grad(found.sum(), logits), wanted)


def test_a_confident_mistake_keeps_its_loss():
    """1 - sigmoid(30) is 0 in float32, but its logarithm is -30."""
    logits = torch.full((6, 3), 30.0)
    found = sigmoid_focal_loss(logits, torch.full((6,), 3), 2.0, 0.25, None, 'none')
    torch.testing.assert_close(found, torch.full((6, 3), 0.75 * 30))


def test_no_samples_have_no_loss():
    logits = torch.randn(0, 4, requires_grad=True)
    found = sigmoid_focal_loss(logits, TARGETS[:0], 2.0, 0.25, None, 'sum')
    found.backward()
    assert found == 0
    assert logits.grad.shape == (0, 4)
