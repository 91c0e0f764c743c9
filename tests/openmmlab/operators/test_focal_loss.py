"""Focal losses against their equations, differentiated by autograd."""

import pytest
import torch
from mmcv.ops import sigmoid_focal_loss, softmax_focal_loss

pytestmark = pytest.mark.compat
TARGETS = torch.tensor([0, 2, 3, 1, 3, 0])
WEIGHTS = torch.tensor([1.0, 0.5, 2, 3])


def sigmoid_equation(logits, gamma, alpha, weight):
    yes = torch.nn.functional.one_hot(TARGETS, 4)[:, :3].bool()  # 3 is the background
    p = torch.where(yes, logits.sigmoid(), 1 - logits.sigmoid())
    balance = torch.where(yes, alpha, 1 - alpha)
    of_target = torch.cat([weight, torch.ones(1)])[TARGETS]
    return -balance * (1 - p) ** gamma * p.log() * of_target[:, None]


def softmax_equation(logits, gamma, alpha, weight):
    p = logits.softmax(1)[torch.arange(6), TARGETS]
    return -alpha * (1 - p) ** gamma * p.log() * weight[TARGETS]


@pytest.mark.parametrize('weighted', [False, True])
@pytest.mark.parametrize(
    ('loss', 'equation', 'classes'),
    [(sigmoid_focal_loss, sigmoid_equation, 3), (softmax_focal_loss, softmax_equation, 4)],
)
def test_losses_and_gradients_are_those_of_the_equation(loss, equation, classes, weighted):
    logits = torch.randn(6, classes, requires_grad=True)
    weight = WEIGHTS[:classes] if weighted else torch.ones(classes)
    expected = equation(logits, 1.7, 0.3, weight)
    given = weight if weighted else None
    torch.testing.assert_close(loss(logits, TARGETS, 1.7, 0.3, given, 'none'), expected)
    found = loss(logits, TARGETS, 1.7, 0.3, given, 'sum')
    wanted = torch.autograd.grad(expected.sum(), logits)
    torch.testing.assert_close(torch.autograd.grad(found, logits), wanted)


def test_a_confident_mistake_keeps_its_loss():
    """1 - sigmoid(30) is 0 in float32, but its logarithm is -30."""
    logits = torch.full((6, 3), 30.0)
    found = sigmoid_focal_loss(logits, torch.full((6,), 3), 2.0, 0.25, None, 'none')
    torch.testing.assert_close(found, torch.full((6, 3), 0.75 * 30))


@pytest.mark.parametrize('loss', [sigmoid_focal_loss, softmax_focal_loss])
def test_no_samples_have_no_loss(loss):
    logits = torch.randn(0, 4, requires_grad=True)
    found = loss(logits, TARGETS[:0], 2.0, 0.25, None, 'sum')
    found.backward()
    assert found == 0
    assert logits.grad.shape == (0, 4)


def test_softmax_ignores_negative_targets():
    logits = torch.randn(3, 4, requires_grad=True)
    softmax_focal_loss(logits, torch.tensor([-1, 0, 3]), 2.0, 0.25, None, 'sum').backward()
    assert logits.grad.any(1).tolist() == [False, True, True]


def test_half_precision_is_taken():
    logits = torch.randn(6, 3)
    expected = sigmoid_focal_loss(logits, TARGETS, 2.0, 0.25, None, 'sum')
    found = sigmoid_focal_loss(logits.bfloat16(), TARGETS, 2.0, 0.25, None, 'sum')
    assert found.dtype == torch.bfloat16
    torch.testing.assert_close(found.float(), expected, rtol=0.03, atol=0.03)


@pytest.mark.parametrize('gamma', [0.0, 0.5, 2.0])
def test_certain_answers_have_no_gradient(gamma):
    logits = torch.tensor([[200.0, 0]], requires_grad=True)
    softmax_focal_loss(logits, torch.zeros(1, dtype=torch.long), gamma, 0.25).backward()
    assert logits.grad.eq(0).all()
