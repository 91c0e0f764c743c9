"""A progress bar on a terminal; elsewhere mmengine's log lines stay what they are.

Training shows loss, learning rate and the time left. It makes room for the bar of an evaluation
and for what the metrics print.
"""

import sys

from mmengine.dist import is_main_process
from mmengine.hooks import Hook
from tqdm import tqdm

from ...utils.messages import on_terminal


class ProgressHook(Hook):
    """Draws the bars, on the main process only."""

    priority = 'VERY_LOW'

    def __init__(self) -> None:
        self.training = _bar('train', 0)
        self.evaluation = _bar('evaluate', 0)

    def before_train(self, runner) -> None:
        self.training = _bar('train', runner.max_iters, runner.iter)

    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None) -> None:
        if self.training.disable:  # reading the loss would wait for the GPU
            return
        rate = runner.optim_wrapper.get_lr()['lr'][0]
        loss = outputs['loss'].detach()
        self.training.set_postfix_str(f'loss {loss:.3f}, lr {rate:.1e}', refresh=False)
        self.training.update()

    def after_train(self, runner) -> None:
        self.training.close()

    def before_val_epoch(self, runner) -> None:
        self.training.close()
        self.evaluation = _bar('evaluate', len(runner.val_dataloader))

    def before_test_epoch(self, runner) -> None:
        self.evaluation = _bar('evaluate', len(runner.test_dataloader))

    def after_val_iter(self, runner, batch_idx, data_batch=None, outputs=None) -> None:
        self.evaluation.update()
        if batch_idx + 1 == self.evaluation.total:
            self.evaluation.close()

    after_test_iter = after_val_iter

    def after_val_epoch(self, runner, metrics=None) -> None:
        self.training = _bar('train', runner.max_iters, runner.iter)


def _bar(name: str, total: int, done: int = 0) -> tqdm:
    """Make a bar that vanishes when it is complete, so that only log lines stay on the screen."""
    silent = not (total and on_terminal() and is_main_process())
    options = {'leave': False, 'dynamic_ncols': True, 'file': sys.stdout}
    return tqdm(total=total, initial=done, desc=name, disable=silent, **options)
