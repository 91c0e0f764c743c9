"""What a test leaves of each picture, where its own metrics keep sums alone."""

from mmengine.evaluator import BaseMetric
from mmengine.runner import TestLoop

from ..errors import InputError


class Record(BaseMetric):
    """A metric that computes nothing: it keeps a few bytes of each picture.

    mmengine brings them to the first process.

    Args:
        loop: of the test, before it runs.

    Attributes:
        pictures: what was kept, after the test, in the first process.
    """

    default_prefix = 'report'

    def __init__(self, loop: TestLoop) -> None:
        super().__init__()
        self.pictures: list[dict] = []
        self.dataset_meta = loop.evaluator.dataset_meta
        loop.evaluator.metrics.append(self)

    def compute_metrics(self, results: list[dict]) -> dict:
        self.pictures = results
        return {}


def find_metric(loop: TestLoop, kind: type) -> BaseMetric:
    """Return the first metric of a test that computes what a class does.

    A subclass that computes something else, such as mmdet's ``LVISMetric``, is none, nor is a
    metric that only writes files.

    Raises:
        InputError: there is none.
    """
    for metric in loop.evaluator.metrics:
        writes = getattr(metric, 'format_only', False)  # mmpretrain's have no such option
        if type(metric).compute_metrics is kind.compute_metrics and not writes:
            return metric
    raise InputError(f'--report: test_evaluator has no {kind.__name__} that evaluates predictions')
