"""What a test leaves of each picture, where its own metrics keep sums alone."""

from mmengine.evaluator import BaseMetric
from mmengine.runner import TestLoop

from ...errors import InputError


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


def find_metrics(loop: TestLoop, kind: type) -> dict[int, BaseMetric]:
    """Return the metrics of a test that compute what a class does, by their places.

    A subclass that computes something else, such as mmdet's ``LVISMetric``, is none of them, nor is
    a metric that only writes files.

    Raises:
        InputError: there is none.
    """
    found = {}
    for i, metric in enumerate(loop.evaluator.metrics):
        writes = getattr(metric, 'format_only', False)  # mmpretrain's have no such option
        if type(metric).compute_metrics is kind.compute_metrics and not writes:
            found[i] = metric
    if not found:
        raise InputError(f'--report: test_evaluator has no {kind.__name__} that evaluates')
    return found
