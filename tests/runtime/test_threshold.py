"""The score from which on objects count, beside the weights it was chosen for."""

import json

import numpy as np
import pytest

from vitbackbones.errors import InputError
from vitbackbones.runtime.card import Threshold, read_threshold, write_threshold

CHOSEN = Threshold(0.41, 'best F1 of a test', {'dog': 0.6})


@pytest.fixture
def weights(tmp_path):
    file = tmp_path / 'epoch_1.pth'
    file.write_bytes(b'weights')
    return file


def test_it_is_read_again_for_these_weights_alone(weights):
    assert read_threshold(weights) is None
    path = write_threshold(weights, CHOSEN)
    assert path.name == 'epoch_1.pth.threshold.json'
    assert read_threshold(weights) == CHOSEN
    weights.write_bytes(b'of a later run')
    assert read_threshold(weights) is None


def test_it_may_be_written_elsewhere_for_people_to_read(weights, tmp_path):
    (tmp_path / 'other').mkdir()
    path = write_threshold(weights, CHOSEN, tmp_path / 'other')
    assert path == tmp_path / 'other' / 'epoch_1.pth.threshold.json'
    assert path.read_text().startswith('{\n "score": 0.41,\n')


def test_classes_have_their_own():
    np.testing.assert_allclose(CHOSEN.of(['cat', 'dog']), [0.41, 0.6])
    assert str(CHOSEN) == '0.41 (dog 0.6, best F1 of a test)'


@pytest.mark.parametrize(
    ('changes', 'message'),
    [
        ({'score': 2}, 'score'),
        ({'score': None}, 'score'),
        ({'classes': {'cat': 'x'}}, 'classes.cat'),
        ({'classes': []}, 'classes'),
        ({'source': 1}, 'source'),
    ],
)
def test_a_file_that_says_something_else_is_refused(weights, changes, message):
    path = write_threshold(weights, CHOSEN)
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(InputError, match=f'threshold.json: {message}'):
        read_threshold(weights)
    path.write_text('[]')
    with pytest.raises(InputError, match='must be an object'):
        read_threshold(weights)


def test_a_score_is_given_by_number_or_by_file(weights):
    file = write_threshold(weights, CHOSEN)
    classes = ('cat', 'dog')
    assert Threshold.given(0.3, '--score-threshold', classes) == Threshold(0.3, '--score-threshold')
    for path in (file, str(file)):
        assert Threshold.given(path, '--score-threshold', classes) == CHOSEN
    with pytest.raises(InputError, match="file S: is of another|S .*: is of .* no class 'dog'"):
        Threshold.given(file, 'S', ('cat', 'cow'))
    with pytest.raises(InputError, match='epoch_1.pth is not JSON'):
        Threshold.given(weights, 'S', classes)
    with pytest.raises(
        InputError, match='S=absent.json: is neither a number from 0 to 1 nor a file that exists'
    ):
        Threshold.given('absent.json', 'S', classes)
