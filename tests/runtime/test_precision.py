"""A file computes in bfloat16 only where its loss was measured and the processor has it."""

import pytest

from vitbackbones.errors import InputError
from vitbackbones.runtime import precision
from vitbackbones.runtime.model import choose_precision

from .cards import make_card as card

PROOF = {'metric': 'mIoU', 'float32': 0.5, 'bf16': 0.5, 'pictures': 9}


@pytest.fixture(params=[True, False])
def has(request, monkeypatch):
    monkeypatch.setattr(precision, 'own_precision', lambda: 'bf16' if request.param else 'f32')
    return request.param


def test_what_was_proven_is_taken_where_the_processor_has_it(has, capsys):
    proven = card(bf16=PROOF)
    half = 'bf16' if has else 'f32'
    assert choose_precision(proven, 'auto', 'a') == half
    assert capsys.readouterr().err == ''
    assert choose_precision(proven, 'bf16', 'a') == half
    assert ('this processor has no instructions for bfloat16' in capsys.readouterr().err) is not has
    assert choose_precision(proven, 'f32', 'a') == 'f32'


def test_what_was_not_proven_is_not_taken(has):
    assert choose_precision(card(), 'auto', 'a') == 'f32'
    for word in ('bf16', 'int8'):
        with pytest.raises(InputError, match=f'a.xml: its loss in {word} was not measured'):
            choose_precision(card(), word, 'a.xml')


def test_a_file_in_int8_stays_as_it_is(has):
    eight = card(int8={'metric': 'mIoU'})
    assert choose_precision(eight, 'auto', 'a') == choose_precision(eight, 'int8', 'a') == 'f32'
    with pytest.raises(InputError, match='is in INT8, so it cannot compute in f32'):
        choose_precision(eight, 'f32', 'a')
