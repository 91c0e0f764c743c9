"""A loss or gradient that is not finite stops the run before it reaches the weights.

One step with NaN spoils every weight, and the run then computes NaN for days. Here each step is
looked at right before the optimizer takes it. Where something is not finite, the step is left out,
the batch is saved for a closer look, and the run stops with one message, or goes on if the config
allows it a number of such steps.

All processes decide alike: they agree on whether any of them saw something. float16 with loss
scaling leaves out overflowing steps by itself; those do not get here.
"""

from pathlib import Path

import numpy as np
import torch
from mmengine.device import get_device
from mmengine.dist import all_reduce, get_rank, is_distributed
from mmengine.hooks import Hook
from mmengine.model import is_model_wrapper
from mmengine.structures import BaseDataElement
from torch import Tensor, nn
from torch.nn.utils import get_total_norm
from torch.optim import Optimizer

from ..errors import InputError
from ..registry import HOOKS

SKIPPED = 'steps_left_out'  # counted in the message hub, which checkpoints hold


@HOOKS.register_module()
class FiniteLossHook(Hook):
    """Stops at a non-finite loss or gradient, as the module docstring says.

    Args:
        skip: how many steps of the whole run may be left out before it stops.

    Raises:
        InputError: at the next one; names the loss term, iteration, images, gradient norm and the
            file with the batch.
    """

    priority = 'VERY_HIGH'  # sees the batch before anything can fail on it

    def __init__(self, skip: int = 0) -> None:
        self.skip = skip

    def before_train(self, runner) -> None:
        self.runner = runner
        self.batches: list = []  # since the last step: several where gradients are accumulated
        self.losses: list[dict] = []
        model = runner.model.module if is_model_wrapper(runner.model) else runner.model
        optimizer = runner.optim_wrapper.optimizer
        self.handles = [
            model.register_forward_hook(self._note_losses),
            optimizer.register_step_pre_hook(self._check),
        ]

    def after_train(self, runner) -> None:
        for handle in self.handles:
            handle.remove()

    def before_train_iter(self, runner, batch_idx, data_batch=None) -> None:
        self.batches.append(data_batch)

    @torch.compiler.disable
    def _note_losses(self, model: nn.Module, inputs, outputs) -> None:
        if model.training and isinstance(outputs, dict):
            self.losses.append({name: _total(value) for name, value in outputs.items()})

    @torch.compiler.disable
    def _check(self, optimizer: Optimizer, *call) -> None:
        losses, batches = self.losses, self.batches
        self.losses, self.batches = [], []
        gradients = [p.grad for group in optimizer.param_groups for p in group['params']]
        norm = get_total_norm([grad for grad in gradients if grad is not None])
        if not self._all_finite([norm, *(value for each in losses for value in each.values())]):
            self._leave_out(optimizer, losses, batches, norm)

    @staticmethod
    def _all_finite(values: list[Tensor]) -> bool:
        device = get_device()
        finite = torch.stack([value.to(device, torch.float32) for value in values]).isfinite().all()
        if is_distributed():
            finite = finite.int()
            all_reduce(finite, 'min')
        return bool(finite)

    def _leave_out(self, optimizer: Optimizer, losses: list, batches: list, norm: Tensor) -> None:
        for group in optimizer.param_groups:
            for parameter in group['params']:
                parameter.grad = None  # the optimizer passes over these
        hub = self.runner.message_hub
        hub.update_info(SKIPPED, hub.get_info(SKIPPED, 0) + 1)
        file = self._save(losses, batches, norm)
        message = (
            f'{_describe(losses, batches, norm)}; step {self.runner.iter + 1}, batch in {file}'
        )
        if hub.get_info(SKIPPED) > self.skip:
            raise InputError(f'{message}. {ADVICE}')
        self.runner.logger.warning(
            f'{message}. The step is left out ({hub.get_info(SKIPPED)} of at most {self.skip})'
        )

    def _save(self, losses: list, batches: list, norm: Tensor) -> Path:
        """Write a file of tensors and plain values, which loads without running code."""
        name = f'not_finite_step_{self.runner.iter + 1}_rank_{get_rank()}.pth'
        content = {'losses': losses, 'gradient_norm': norm, 'batches': batches}
        torch.save(plain(content), Path(self.runner.work_dir, name))
        return Path(self.runner.work_dir, name)


ADVICE = (
    'The weights were not changed by it: resume from the last checkpoint with a smaller learning '
    'rate, a longer warm-up, gradient clipping or without mixed precision; or allow some such '
    'steps to be left out with default_hooks.finite_loss.skip=N'
)


def _total(loss: Tensor | list[Tensor]) -> Tensor:
    """The sum of a loss term, which is a tensor or a list of tensors; a scalar, detached."""
    parts = loss if isinstance(loss, list | tuple) else [loss]
    return sum(part.detach().float().sum() for part in parts)


def _describe(losses: list[dict], batches: list, norm: Tensor) -> str:
    """What is not finite and on which images, of the first micro-batch where something is."""
    for terms, batch in zip(losses, batches, strict=True):
        bad = [f'{name} is {value:.4g}' for name, value in terms.items() if not value.isfinite()]
        if bad:
            return f'{", ".join(bad)} on {_images(batch)} (gradient norm {norm:.4g})'
    where = 'another process, see its message' if norm.isfinite() else _images(batches[0])
    return f'the loss is finite, the gradient norm is {norm:.4g} on {where}'


def _images(batch) -> str:
    samples = batch.get('data_samples') or () if isinstance(batch, dict) else ()
    names = [str(s.get('img_path') or s.get('img_id')) for s in samples]
    return f'images {", ".join(names)}' if names else 'a batch without image names'


def plain(value):
    """``value`` with only tensors, containers, numbers and texts in it.

    >>> plain({'box': np.zeros(2), 'kind': dict})
    {'box': tensor([0., 0.], dtype=torch.float64), 'kind': "<class 'dict'>"}
    """
    if isinstance(value, Tensor):
        return value.detach().cpu()
    if isinstance(value, np.ndarray) and value.dtype.kind in 'biuf':
        return torch.from_numpy(value)
    if isinstance(value, BaseDataElement):
        return plain({**dict(value.metainfo_items()), **dict(value.items())})
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(getattr(value, 'tensor', None), Tensor):  # mmdet's boxes
        return plain(value.tensor)
    return value if isinstance(value, bool | int | float | str | None) else repr(value)
