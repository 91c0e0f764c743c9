"""Fine-tuning with the model in eval mode, as DeiT does at a higher resolution."""

from mmengine.hooks import Hook


class EvalModeHook(Hook):
    """Trains in eval mode: no dropout or stochastic depth, and running statistics stay."""

    def before_train_iter(self, runner, batch_idx, data_batch=None) -> None:
        runner.model.eval()
