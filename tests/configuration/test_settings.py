"""Settings are found in a config by their keys."""

import pytest
from mmengine.config import Config

from vitbackbones.configuration.settings import as_list, entries, model_settings, type_at, value_at

CONFIG = Config({'model': {'heads': [{'type': 'mmdet.A'}, {'type': 'B', 'n': 0}], 'x': 'text'}})


@pytest.mark.parametrize(
    ('value', 'expected'), [([1, 2], [1, 2]), ((1,), [1]), (3, [3]), ('ab', ['ab']), (None, [None])]
)
def test_lists(value, expected):
    assert as_list(value) == expected


@pytest.mark.parametrize(
    ('node', 'expected'),
    [
        ({'a': 1, 2: 'b'}, [('a', 1), ('2', 'b')]),
        (['x', 'y'], [('0', 'x'), ('1', 'y')]),
        (('x',), [('0', 'x')]),
        ('text', []),
        (None, []),
    ],
)
def test_entries(node, expected):
    assert list(entries(node)) == expected


@pytest.mark.parametrize(
    ('key', 'value'),
    [
        ('model.heads.1.n', 0),
        ('model.x', 'text'),
        ('model.heads.2.n', None),
        ('model.x.y.z', None),
        ('other', None),
    ],
)
def test_values_at_dotted_keys(key, value):
    assert value_at(CONFIG, key) == value


def test_types_without_their_scope():
    assert [type_at(head) for head in CONFIG.model.heads] == ['A', 'B']


def test_the_preprocessor_of_mmpretrain_joins_the_model():
    config = Config({'model': {'a': {'b': 1}}, 'data_preprocessor': {'mean': [1]}})
    found = model_settings(config)
    assert found == {'a': {'b': 1}, 'data_preprocessor': {'mean': [1]}}
    found['a']['b'] = found['data_preprocessor']['mean'][0] = 2
    assert (config.model.a.b, config.data_preprocessor.mean) == (1, [1])
    config.model.data_preprocessor = {'mean': [3]}
    assert model_settings(config)['data_preprocessor'] == {'mean': [3]}
    assert model_settings(Config({'model': {}, 'data_preprocessor': {}})) == {}
