"""EMA weights; the ``state_dict`` of a checkpoint has the weights that were evaluated.

Whatever reads weights and knows no hooks (prediction, ``get_model``, the toolboxes' inferencers, a
later run) takes ``state_dict``. So that is always the set whose accuracy validation reported; the
other one is saved under a name that says what it is:

===============  ================  ========================
``evaluate``     ``state_dict``    beside it
===============  ================  ========================
``'average'``    the average       ``last_state_dict``
``'last'``       the last weights  ``averaged_state_dict``
===============  ================  ========================

mmengine's and mmpretrain's hooks save the average as ``state_dict`` whatever they evaluate, and
the last weights as ``ema_state_dict``. Runs with these files are resumed and tested here, too.
"""

from mmengine.hooks import EMAHook as MMEngineEMAHook
from mmengine.runner import BaseLoop
from mmengine.runner.checkpoint import load_state_dict, weights_to_cpu

from ...errors import InputError

LAST = 'last_state_dict'
AVERAGED = 'averaged_state_dict'
MMENGINE = 'ema_state_dict'
STEPS = 'averaged_steps'  # in the files of this hook: how many updates are in the average


def last_and_average(checkpoint: dict) -> tuple[dict, dict]:
    """Return the last weights and the EMA weights of a checkpoint; the same twice without EMA."""
    state = checkpoint['state_dict']
    if MMENGINE not in checkpoint:
        return checkpoint.get(LAST, state), checkpoint.get(AVERAGED, state)
    last = checkpoint[MMENGINE].items()
    return {k.removeprefix('module.'): v for k, v in last if k.startswith('module.')}, state


class EMAHook(MMEngineEMAHook):
    """mmengine's hook, with a choice of the weights to evaluate, which are saved as ``state_dict``.

    Args:
        evaluate: ``'average'`` or ``'last'``: what validation and testing measure.
        options: mmengine's, such as ``momentum``.

    Raises:
        InputError: ``evaluate`` is something else.
    """

    def __init__(self, evaluate: str = 'average', **options) -> None:
        super().__init__(**options)
        if evaluate not in ('average', 'last'):
            raise InputError(f"EMAHook: evaluate={evaluate!r} must be 'average' or 'last'")
        self.evaluate = evaluate

    def before_val_epoch(self, runner) -> None:
        if self.evaluate == 'average':
            super().before_val_epoch(runner)

    def after_val_epoch(self, runner, metrics=None) -> None:
        if self.evaluate == 'average':
            super().after_val_epoch(runner, metrics)

    before_test_epoch = before_val_epoch
    after_test_epoch = after_val_epoch

    def before_save_checkpoint(self, runner, checkpoint: dict) -> None:
        """Put the evaluated weights first, as the module docstring says."""
        last = checkpoint['state_dict']
        average = weights_to_cpu(self.ema_model.module.state_dict())
        if self.evaluate == 'average':
            checkpoint |= {'state_dict': average, LAST: last}
        else:
            checkpoint[AVERAGED] = average
        checkpoint[STEPS] = self.ema_model.steps.cpu()

    def after_load_checkpoint(self, runner, checkpoint: dict) -> None:
        """Take both sets out of a file; a training that does not resume starts from the first."""
        last, average = last_and_average(checkpoint)
        trains = isinstance(runner._train_loop, BaseLoop)
        if trains and not runner._resume:
            last = average = checkpoint['state_dict']
        elif trains and last is average:
            runner.logger.warning(
                'the checkpoint has no EMA weights; averaging starts again from its weights'
            )
        elif trains:
            steps = checkpoint.get(MMENGINE, {}).get('steps', checkpoint.get(STEPS))
            self.ema_model.steps.copy_(steps)
        checkpoint['state_dict'] = last
        load_state_dict(self.ema_model.module, average, strict=self.strict_load)
