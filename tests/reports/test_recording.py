"""Records stand beside the metrics of a test and add nothing to its numbers."""

from types import SimpleNamespace

import pytest
from mmengine.evaluator import BaseMetric, Evaluator

from vitbackbones.errors import InputError
from vitbackbones.reports.recording import Record, find_metric


class Count(BaseMetric):
    default_prefix = 'toy'

    def process(self, data_batch, data_samples):
        self.results += data_samples

    def compute_metrics(self, results):
        return {'count': len(results)}


class Names(Record):
    def process(self, data_batch, data_samples):
        self.results += [each | {'of': self.dataset_meta['of']} for each in data_samples]


def test_a_record_keeps_what_it_saw():
    loop = SimpleNamespace(evaluator=Evaluator([Count()]))
    loop.evaluator.dataset_meta = {'of': 'x'}
    record = Names(loop)
    loop.evaluator.process([{'name': name} for name in 'abc'])
    assert loop.evaluator.evaluate(2) == {'toy/count': 2}  # the third fills up a batch
    assert record.pictures == [{'name': 'a', 'of': 'x'}, {'name': 'b', 'of': 'x'}]


class Alike(Count):
    pass


class Other(Count):
    def compute_metrics(self, results):
        return {}


def test_a_metric_is_found_by_what_it_computes():
    alike, writing = Alike(), Alike()
    writing.format_only = True
    loop = SimpleNamespace(evaluator=SimpleNamespace(metrics=[Other(), writing, alike, Count()]))
    assert find_metric(loop, Count) is alike
    loop.evaluator.metrics = [Other(), writing]
    with pytest.raises(InputError, match='Count'):
        find_metric(loop, Count)
