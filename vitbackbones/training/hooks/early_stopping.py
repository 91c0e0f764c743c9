"""Stop a training early, at the same step whether it was resumed or not.

mmengine's hook counts evaluations without a gain in memory, so a resumed run counts from zero. Here
the count is made from the values of all evaluations, which a checkpoint holds.
"""

from mmengine.hooks import EarlyStoppingHook as MMEngineEarlyStoppingHook


class EarlyStoppingHook(MMEngineEarlyStoppingHook):
    """mmengine's hook; a resumed run has already stopped where it had stopped before.

    Any gain counts. mmengine asks for 0.1 unless ``min_delta`` is given, and AP, from 0 to 1, never
    gains that much between two evaluations.
    """

    priority = 'LOW'  # before InterruptHook, with which a resumed run may begin to evaluate

    def __init__(self, monitor: str, min_delta: float = 1e-4, **options) -> None:
        super().__init__(monitor, min_delta=min_delta, **options)

    def before_train(self, runner) -> None:
        measured = runner.message_hub.log_scalars.get(f'val/{self.monitor}')
        for value in measured.data[0] if measured else ():
            runner.train_loop.stop_training, reason = self._check_stop_condition(float(value))
        if runner.train_loop.stop_training:
            runner.logger.info(reason)

    def _check_stop_condition(self, current_score: float) -> tuple[bool, str]:
        stops, reason = super()._check_stop_condition(current_score)
        return stops, reason and f'stopping early: {self.monitor}: {reason.strip()}'
