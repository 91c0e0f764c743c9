"""The table's vocabulary, and how its places are found."""

from vitbackbones.configuration import schema
from vitbackbones.configuration.schema import COUNT, misfits


def test_places(monkeypatch):
    table = {'a.**.n': COUNT, '*_b.0.n': COUNT, 'missing.n': COUNT, 'a.**.@T*.m': COUNT}
    monkeypatch.setattr(schema, 'SCHEMA', table)
    config = {'a': {'n': 0, 'c': [{'n': 1}, {'d': {'n': -1}}]}, 'x_b': ({'n': 'x'},), 'n': 0}
    config['a'] |= {'e': {'type': 'mmdet.Typed', 'm': 0}, 'f': {'type': 'Other', 'm': 0}}
    assert [finding.partition(':')[0] for finding in misfits(config)] == [
        'a.n',
        'a.c.1.d.n',
        'x_b.0.n',
        'a.e.m',
    ]
    assert "x_b.0.n: is 'x', but it must be a whole number from 1" in misfits(config)


def test_a_subset_may_be_of_the_first_or_of_the_last_samples():
    for value, count in ((3, 0), (-3, 0), ([0, 2], 0), (None, 0), (0, 1), ([], 1), ([-1], 1)):
        config = {'train_dataloader': {'dataset': {'type': 'X', 'indices': value}}}
        assert len([*misfits(config)]) == count
