"""What NNCF is asked for, and which layers compute in 8 bits."""

from types import SimpleNamespace

import pytest

from vitbackbones.errors import InputError
from vitbackbones.export import lower_precision
from vitbackbones.export.judges import Agreeing
from vitbackbones.export.lower_precision import RANKING, accuracy_control, in_float32, quantized


def told(**values):
    return SimpleNamespace(**values)


@pytest.fixture
def nncf(monkeypatch):
    """A stand-in for NNCF that returns what it was asked for."""
    module = SimpleNamespace(
        quantize=lambda graph, data, **how: ('plain', graph, data, how),
        quantize_with_accuracy_control=lambda graph, data, **how: ('controlled', graph, data, how),
        ModelType=told(TRANSFORMER='transformer'),
        QuantizationPreset=told(MIXED='mixed'),
        AdvancedSmoothQuantParameters=told,
        AdvancedQuantizationParameters=told,
        AdvancedAccuracyRestorerParameters=told,
        Dataset=lambda items, read=None: (items, read),
    )
    monkeypatch.setattr(lower_precision, 'import_optional', lambda *name: module)
    return module


def test_a_graph_in_8_bits(nncf):
    kind, graph, data, how = quantized('graph', [1, 2, 3], 'read')
    assert (kind, graph, data) == ('plain', 'graph', ([1, 2, 3], 'read'))
    assert how == {'model_type': 'transformer', 'preset': 'mixed', 'subset_size': 3}
    kind, _, _, how = quantized('graph', [1], 'read', max_drop=0.1)
    assert (kind, how['max_drop']) == ('controlled', 0.1)
    *_, how = quantized('graph', [1], 'read', smooth=False)
    off = how['advanced_parameters'].smooth_quant_alphas
    assert (off.convolution, off.matmul) == (-1, -1)


@pytest.mark.parametrize(
    ('error', 'message'),
    [(ValueError('no\nform'), 'cannot quantize.*no form'), (InputError('own'), '^own$')],
)
def test_what_nncf_cannot_do_is_one_message(nncf, error, message):
    def fail(*args, **how):
        raise error

    nncf.quantize = fail
    with pytest.raises(InputError, match=message):
        quantized('graph', [1], 'read')


def test_layers_are_ranked_on_some_pictures_and_judged_on_all(nncf, monkeypatch, capsys):
    made = []

    class Same:
        def __init__(self, exported, files):
            self.files = files
            made.append(self)

        def count(self, trial, file):
            return Agreeing(1, 2) if file else Agreeing(0, 0)

    monkeypatch.setattr(lower_precision, 'Agreement', Same)
    monkeypatch.setattr(lower_precision, 'Requests', lambda model: f'runs {model}')
    exported = SimpleNamespace(running=lambda run: run)
    judge = SimpleNamespace(
        files=[*range(2 * RANKING)], score=lambda trial: len(trial), metric='mIoU'
    )
    control = accuracy_control(exported, judge, 0.02)
    (agreement,) = made
    assert len(agreement.files) == RANKING
    assert (agreement.files[0], agreement.files[-1]) == (0, 2 * RANKING - 1)
    limits = control['advanced_accuracy_restorer_parameters']
    assert (limits.ranking_subset_size, limits.num_ranking_workers) == (RANKING // 2, 1)
    assert (control['max_drop'], control['validation_dataset']) == (0.02, (agreement.files, None))
    validate = control['validation_fn']
    assert validate('model', [0, 1, 2, 3]) == (0.375, [0, 0.5, 0.5, 0.5])
    assert capsys.readouterr().out == ''
    value, shares = validate('model', agreement.files)
    assert (value, len(shares)) == (len('runs model'), RANKING)
    assert capsys.readouterr().out == 'tried: mIoU 10.0000\n'
    one = SimpleNamespace(files=[1], score=None, metric='')
    control = accuracy_control(exported, one, 0.02)
    assert control['advanced_accuracy_restorer_parameters'].ranking_subset_size == 1


def node(kind, source=None, name=''):
    return SimpleNamespace(
        get_type_name=lambda: kind,
        get_friendly_name=lambda: name,
        input_value=lambda i: SimpleNamespace(get_node=lambda: source) if i == 0 else None,
    )


def test_layers_whose_input_is_not_in_8_bits():
    bits = node('FakeQuantize')
    moved = node('Reshape', node('Transpose', bits))
    ops = [
        node('MatMul', bits, 'a'),
        node('Convolution', moved, 'b'),
        node('MatMul', node('Add'), 'c'),
        node('GroupConvolution', node('Reshape', node('Parameter')), 'd'),
        node('Add', node('Parameter'), 'e'),
    ]
    assert in_float32(SimpleNamespace(get_ops=lambda: ops)) == ['c', 'd']
