"""A loss or gradient that is not finite stops the run before it reaches the weights.

One step with NaN spoils every weight, and the run then computes NaN for days. Here each step is
looked at right before the optimizer takes it. Where something is not finite, the step is left out,
and the run stops with one message, or goes on if the config allows it a number of such steps;
running statistics that the bad batch has entered are put back.

float16 is trained with a loss scale, whose overflows are no fault: the scaler leaves those steps
out and lowers the scale. A loss that is not finite itself is one all the same, as are too many
overflows in a row.

All processes decide alike: they agree on whether any of them saw something.
"""

from itertools import zip_longest

import torch
from mmengine.device import get_device
from mmengine.dist import all_gather_object, all_reduce, is_distributed
from mmengine.hooks import Hook
from mmengine.model import is_model_wrapper
from torch import Tensor, nn
from torch.nn.utils import get_total_norm
from torch.optim import Optimizer

from ...errors import InputError
from ..sharding import whole

SKIPPED = 'steps_left_out'  # counted in the message hub, which checkpoints hold
OVERFLOWS = 20  # in a row: from the first loss scale, 2^16, down to 1 / 16


class FiniteLossHook(Hook):
    """Stops at a non-finite loss or gradient, as the module docstring says.

    Args:
        skip: how many steps of the whole run may be left out before it stops.

    Raises:
        InputError: at the next one; names the loss term, iteration, images and gradient norm.
    """

    priority = 'VERY_HIGH'  # sees the batch before anything can fail on it

    def __init__(self, skip: int = 0) -> None:
        self.skip = skip
        # since the last step: several where gradients are accumulated
        self.losses: list[dict] = []
        self.batches: list = []

    def before_train(self, runner) -> None:
        self.runner = runner
        self.overflows = 0
        model = runner.model.module if is_model_wrapper(runner.model) else runner.model
        self.statistics = [each for each in model.buffers() if each.is_floating_point()]
        self.kept = [each.clone() for each in self.statistics] if self.skip else []
        self.handles = [
            model.register_forward_hook(self._note_losses),
            runner.optim_wrapper.optimizer.register_step_pre_hook(self._check),
        ]

    def after_train(self, runner) -> None:
        for handle in self.handles:
            handle.remove()

    def before_train_iter(self, runner, batch_idx, data_batch=None) -> None:
        if self.kept and not self.batches:
            torch._foreach_copy_(self.kept, self.statistics)
        self.batches.append(data_batch)

    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None) -> None:
        """Look at a step that the loss scale left out: nothing else has asked for its losses."""
        if not (self.losses and runner.optim_wrapper.should_update()):
            return
        losses, batches = self._take()
        self.overflows += 1
        if self.overflows == OVERFLOWS or not self._all_finite(losses):
            # the gradients are gone by now, the scaler has seen inf or NaN in them
            self._leave_out(runner.optim_wrapper.optimizer, losses, batches, 'not finite')

    @torch.compiler.disable
    def _note_losses(self, model: nn.Module, inputs, outputs) -> None:
        """Keep the sum of each loss term, a tensor or a list of tensors, as a detached scalar."""
        if not (torch.is_grad_enabled() and isinstance(outputs, dict)):
            return
        terms = {}
        for name, loss in outputs.items():
            parts = loss if isinstance(loss, list | tuple) else [loss]
            terms[name] = sum(part.detach().float().sum() for part in parts)
        self.losses.append(terms)

    def _take(self) -> tuple[list[dict], list]:
        """Return and forget what was noted since the last step."""
        noted = self.losses, self.batches
        self.losses = []
        self.batches = []
        return noted

    @torch.compiler.disable
    def _check(self, optimizer: Optimizer, *call) -> None:
        overflow = getattr(optimizer, 'found_inf', None)  # a fused optimizer leaves it out itself
        if overflow is not None and overflow.any():
            return
        self.overflows = 0
        losses, batches = self._take()
        gradients = [p.grad for group in optimizer.param_groups for p in group['params']]
        norm = whole(get_total_norm([grad for grad in gradients if grad is not None]))
        if not self._all_finite([{'norm': norm}, *losses]):
            before_clipping = self.runner.message_hub.log_scalars.get('train/grad_norm')
            if self.runner.optim_wrapper.clip_grad_kwargs and before_clipping is not None:
                norm = before_clipping.current()  # clipping turns an infinite norm into NaN
            self._leave_out(optimizer, losses, batches, f'{norm:.4g}')

    @staticmethod
    def _all_finite(terms: list[dict[str, Tensor]]) -> bool:
        values = [value for each in terms for value in each.values()]
        device = get_device()
        finite = torch.stack([value.to(device, torch.float32) for value in values]).isfinite().all()
        if is_distributed():
            finite = finite.int()
            all_reduce(finite, 'min')
        return bool(finite)

    def _leave_out(self, optimizer: Optimizer, losses: list, batches: list, norm: str) -> None:
        for group in optimizer.param_groups:
            for parameter in group['params']:
                parameter.grad = None  # the optimizer passes over these
        if self.kept:
            torch._foreach_copy_(self.statistics, self.kept)
        hub = self.runner.message_hub
        hub.update_info(SKIPPED, hub.get_info(SKIPPED, 0) + 1)
        message = f'step {self.runner.iter + 1}: {self._blame(losses, batches, norm)}'
        if hub.get_info(SKIPPED) > self.skip:
            raise InputError(f'{message}. {ADVICE}')
        self.runner.logger.warning(
            f'{message}. The step is skipped ({hub.get_info(SKIPPED)} of at most {self.skip})'
        )

    def _blame(self, losses: list, batches: list, norm: str) -> str:
        """Say which process saw what on which images; where every loss is finite, on its own.

        Gradients are averaged, so they tell nothing of where the fault lies.
        """
        own = ''
        for terms, batch in zip_longest(losses, batches, fillvalue={}):
            bad = [f'{key} is {value:.4g}' for key, value in terms.items() if not value.isfinite()]
            if bad:  # in the first micro-batch that has any
                own = f'{", ".join(bad)} on {_images(batch)}'
                break
        found = [own] if own else []
        if is_distributed():
            said = enumerate(all_gather_object(own))
            found = [f'process {rank}: {text}' for rank, text in said if text]
        if found:
            return f'{"; ".join(found)} (gradient norm {norm})'
        return f'the loss is finite, the gradient norm is {norm} on {_images(batches[0])}'


ADVICE = (
    'This step did not change the weights. Resume from the last checkpoint with a smaller '
    'learning rate, a longer warm-up, gradient clipping or without mixed precision; or let the '
    'run skip up to N such steps with default_hooks.finite_loss.skip=N'
)


def _images(batch) -> str:
    samples = batch.get('data_samples') or () if isinstance(batch, dict) else ()
    names = [str(s.get('img_path') or s.get('img_id')) for s in samples]
    return f'images {", ".join(names)}' if names else 'a batch without image names'
