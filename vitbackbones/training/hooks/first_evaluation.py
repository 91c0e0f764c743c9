"""Try the evaluation on one image before the first step, so that its errors cost no epoch."""

import random
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO

import numpy as np
import torch
from mmengine.dist import is_distributed
from mmengine.hooks import Hook
from mmengine.runner import ValLoop

from ...openmmlab.logs import silenced

# Metrics that one picture is enough for.
OF_ONE = ('Accuracy', 'CocoMetric', 'CocoPanopticMetric', 'IoUMetric')


class FirstEvaluationHook(Hook):
    """Predicts and evaluates the first validation image, without output.

    No random number of the run is drawn by it, and no result of it stays.
    """

    priority = 'HIGHEST'  # before hooks that look at what the model returns

    def before_train(self, runner) -> None:
        if isinstance(runner.val_loop, ValLoop) and not runner.iter and not is_distributed():
            with silenced(), redirect_stdout(StringIO()), generators_kept(), torch.no_grad():
                try_evaluation(runner)


@contextmanager
def generators_kept() -> Iterator[None]:
    """Restore the random states of Python, NumPy and torch afterwards."""
    python = random.getstate()
    numpy = np.random.get_state()
    cards = [torch.cuda.current_device()] if torch.cuda.is_available() else []
    with torch.random.fork_rng(cards):
        yield
    random.setstate(python)
    np.random.set_state(numpy)


def try_evaluation(runner) -> None:
    """Predict one image, and compute the metrics that work on a single image.

    Raises:
        Exception: whatever fails.
    """
    loader = runner.val_loop.dataloader
    evaluator = runner.val_loop.evaluator
    trains = runner.model.training
    batch = loader.collate_fn([loader.dataset[0]])
    evaluator.process(data_samples=runner.model.eval().val_step(batch), data_batch=batch)
    for metric in evaluator.metrics:
        if type(metric).__name__ in OF_ONE:
            metric.evaluate(size=1)
        metric.results.clear()
    runner.model.train(trains)
