"""Sigmoid focal loss (Lin et al., "Focal Loss for Dense Object Detection", 2017) and its gradient.

Each of C binary decisions contributes -alpha (1 - p)^gamma log(p), with p the probability of the
right answer. ``input`` is (N, C). ``target``, (N,), holds classes; what is no class, such as C for
the background, says no to every class. ``weight`` is one factor for each class, of the target, or
empty. The logarithms are those of torch, which know no limit; mmcv's end at -87.
"""

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from .kernels import widen


def sigmoid_focal_loss_forward(
    input: Tensor, target: Tensor, weight: Tensor, output: Tensor, gamma: float, alpha: float
) -> None:
    """Fill ``output``, (N, C), with the losses."""
    (logits,) = widen(input)
    signs = _signs(logits, target)
    right = signs * logits
    loss = -(-right).sigmoid().pow(gamma) * logsigmoid(right)
    output.copy_(loss * _factors(signs, target, weight, alpha))


def sigmoid_focal_loss_backward(
    input: Tensor, target: Tensor, weight: Tensor, grad_input: Tensor, gamma: float, alpha: float
) -> None:
    """Fill ``grad_input``, (N, C), with the derivatives of the losses."""
    (logits,) = widen(input)
    signs = _signs(logits, target)
    right = signs * logits
    wrong = (-right).sigmoid()  # 1 - p
    slope = wrong.pow(gamma) * (gamma * right.sigmoid() * logsigmoid(right) - wrong) * signs
    grad_input.copy_(slope * _factors(signs, target, weight, alpha))


def _signs(logits: Tensor, target: Tensor) -> Tensor:
    """Return 1 at the target's class and -1 elsewhere, (N, C)."""
    classes = torch.arange(logits.shape[1], device=logits.device)
    return (target[:, None] == classes).to(logits.dtype) * 2 - 1


def _factors(signs: Tensor, target: Tensor, weight: Tensor, alpha: float) -> Tensor:
    """Return the factor of each loss, (N, C): alpha for yes, 1 - alpha for no; times the weight."""
    balance = torch.where(signs > 0, alpha, 1 - alpha)
    if not len(weight):
        return balance
    (weight,) = widen(weight)
    is_class = (target >= 0) & (target < len(weight))
    of_target = torch.where(is_class, weight[target.clamp(0, len(weight) - 1)], 1)
    return balance * of_target[:, None]
