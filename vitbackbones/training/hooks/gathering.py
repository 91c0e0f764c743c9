"""Several processes evaluate without a folder that all of them see.

mmengine's metrics pass their results to the first process through files in the current directory,
which may be read-only, or another one on each machine; a run would end at its first evaluation.
Here they go over the network, as gradients do.
"""

from mmengine.evaluator import BaseMetric, Evaluator
from mmengine.hooks import Hook


class GatherHook(Hook):
    """Lets metrics exchange their results over the network unless they have a ``collect_dir``."""

    def before_val(self, runner) -> None:
        _use_network(runner.val_loop.evaluator)

    def before_test(self, runner) -> None:
        _use_network(runner.test_loop.evaluator)


def _use_network(evaluator: Evaluator) -> None:
    for metric in evaluator.metrics:
        collects = type(metric).evaluate is BaseMetric.evaluate  # not in a way of its own
        if collects and metric.collect_dir is None:
            metric.collect_device = 'gpu'  # mmengine's name for it; without GPUs it works as well
