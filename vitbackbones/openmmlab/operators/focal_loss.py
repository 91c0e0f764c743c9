"""Focal losses and their gradients: Lin et al., "Focal Loss for Dense Object Detection", 2017.

With p the probability of the class in question, a sample contributes -alpha (1 - p)^gamma log(p).
``input`` is (N, C), ``target`` (N,) holds classes, and ``weight`` is one factor for each class, of
the target, or empty. The logarithms are those of torch, which know no limit; mmcv's end at -87.
"""

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from .kernels import widen


def sigmoid_focal_loss_forward(
    input: Tensor, target: Tensor, weight: Tensor, output: Tensor, gamma: float, alpha: float
) -> None:
    """Fill ``output``, (N, C), with the losses of C binary decisions.

    Targets that are no class, such as C for the background, say no to every class.
    """
    (logits,) = widen(input)
    signs = _signs(logits, target)
    right = signs * logits
    loss = -(-right).sigmoid().pow(gamma) * logsigmoid(right)
    output.copy_(loss * _balance(signs, alpha) * _class_weights(weight, target)[:, None])


def sigmoid_focal_loss_backward(
    input: Tensor, target: Tensor, weight: Tensor, grad_input: Tensor, gamma: float, alpha: float
) -> None:
    """Fill ``grad_input``, (N, C), with the derivatives of the losses."""
    (logits,) = widen(input)
    signs = _signs(logits, target)
    right = signs * logits
    wrong = (-right).sigmoid()  # 1 - p
    slope = wrong.pow(gamma) * (gamma * right.sigmoid() * logsigmoid(right) - wrong) * signs
    grad_input.copy_(slope * _balance(signs, alpha) * _class_weights(weight, target)[:, None])


def softmax_focal_loss_forward(
    input: Tensor, target: Tensor, weight: Tensor, output: Tensor, gamma: float, alpha: float
) -> None:
    """Fill ``output``, (N,), with the losses of one decision among C classes.

    Args:
        input: probabilities. Negative targets are ignored.
    """
    p = _of_target(input, target)
    loss = -alpha * (1 - p).pow(gamma) * _log(p)
    output.copy_((loss * _class_weights(weight, target)).masked_fill(target < 0, 0))


def softmax_focal_loss_backward(
    input: Tensor,
    target: Tensor,
    weight: Tensor,
    buff: Tensor,
    grad_input: Tensor,
    gamma: float,
    alpha: float,
) -> None:
    """Fill ``grad_input``, (N, C), with the derivatives by the logits; ``buff`` is scratch memory.

    The derivative of log(p) by logit c is [c is the target] - p_c.
    """
    (probabilities,) = widen(input)
    p = _of_target(input, target)
    wrong = 1 - p
    # p = 1 gives 0, also where gamma < 1 and the power of 0 is infinite
    slope = wrong.clamp(min=torch.finfo(p.dtype).tiny).pow(gamma - 1) * gamma * p * _log(p)
    slope = slope - wrong.pow(gamma)
    slope = (alpha * slope * _class_weights(weight, target)).masked_fill(target < 0, 0)
    is_target = torch.zeros_like(probabilities).scatter_(1, target.clamp(min=0)[:, None], 1)
    grad_input.copy_(slope[:, None] * (is_target - probabilities))


def _signs(logits: Tensor, target: Tensor) -> Tensor:
    """Return 1 at the target's class and -1 elsewhere, (N, C)."""
    classes = torch.arange(logits.shape[1], device=logits.device)
    return (target[:, None] == classes).to(logits.dtype) * 2 - 1


def _balance(signs: Tensor, alpha: float) -> Tensor:
    """Return alpha where the answer is yes and 1 - alpha where it is no."""
    return torch.where(signs > 0, alpha, 1 - alpha)


def _of_target(probabilities: Tensor, target: Tensor) -> Tensor:
    """Return the probability of each target, (N,)."""
    (probabilities,) = widen(probabilities)
    return probabilities.gather(1, target.clamp(min=0)[:, None])[:, 0]


def _log(p: Tensor) -> Tensor:
    """Return the logarithm of p, or of the smallest normal number where p has become 0."""
    return p.clamp(min=torch.finfo(p.dtype).tiny).log()


def _class_weights(weight: Tensor, target: Tensor) -> Tensor:
    """Return the weight of each target, (N,); 1 where it is no class or there are no weights."""
    if not len(weight):
        return torch.ones_like(target, dtype=torch.float32)
    (weight,) = widen(weight)
    known = (target >= 0) & (target < len(weight))
    return torch.where(known, weight[target.clamp(0, len(weight) - 1)], 1)
