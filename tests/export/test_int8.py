"""A graph in 8 bits is judged beside the one in float32, by pictures that it was not fitted to."""

import ctypes
from functools import partial
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from vitbackbones.errors import InputError
from vitbackbones.export.judges import FEWEST, Agreement
from vitbackbones.export.lower_precision import Int8, to_int8
from vitbackbones.export.writing import Settings, export
from vitbackbones.runtime import load
from vitbackbones.runtime.answers import Classified, Detected, Segmented
from vitbackbones.runtime.card import Card

from .subjects import small_subject

pytest.importorskip('nncf')


@pytest.fixture(scope='module')
def pictures(tmp_path_factory):
    """Files of slowly changing colors; the last eight are judged by."""
    folder, draw = tmp_path_factory.mktemp('pictures'), np.random.default_rng(0)
    for i in range(FEWEST + 8):
        coarse = draw.integers(0, 256, (4, 4, 3), np.uint8)
        pixels = cv2.resize(coarse, (64, 64), interpolation=cv2.INTER_CUBIC)
        cv2.imwrite(str(folder / f'{i:02}.png'), pixels)
    return sorted(folder.iterdir())


@pytest.fixture(scope='module')
def float32(tmp_path_factory):
    file = tmp_path_factory.mktemp('float32') / 'model.xml'
    export(small_subject('deit_ti'), Settings(format='openvino'), file)
    return file


def copied(file, folder):
    for each in file.parent.iterdir():
        (folder / each.name).write_bytes(each.read_bytes())
    return folder / file.name


def new(folder, name):
    (folder / name).mkdir()
    return folder / name


def eight_bits(pictures, judge=Agreement, **settings):
    judge = partial(judge, files=pictures[FEWEST:])
    return Int8(pictures=pictures[:FEWEST], judge=judge, **settings)


def test_a_graph_in_8_bits_is_smaller_and_says_what_it_cost(float32, pictures, tmp_path):
    file = copied(float32, tmp_path)
    card = to_int8(file, eight_bits(pictures, max_drop=0.5))
    card.write(file)
    assert (
        file.with_suffix('.bin').stat().st_size < 0.4 * float32.with_suffix('.bin').stat().st_size
    )
    proof = Card.read(file).int8
    assert proof['metric'] == 'agreement with float32'
    assert (proof['float32'], proof['pictures'], proof['calibrated_on']) == (1, 8, FEWEST)
    pixels = cv2.imread(str(pictures[-1]))
    found, wanted = (load(each).predict(pixels).scores for each in (file, float32))
    assert 0 < np.abs(found - wanted).max() < 0.02


class Blind(Agreement):
    """Likes no file."""

    def score(self, exported):
        return 0.0


def test_a_model_that_scores_nothing_proves_nothing(float32, pictures, tmp_path):
    file = copied(float32, tmp_path)
    before = file.read_bytes()
    with pytest.raises(InputError, match='agreement with float32 in float32 is 0 on 8 images, so'):
        to_int8(file, eight_bits(pictures, Blind))
    assert file.read_bytes() == before


class Disappointed(Agreement):
    """Likes the first file alone."""

    def score(self, exported):
        self.seen = getattr(self, 'seen', 0) + 1
        return 1.0 if self.seen == 1 else 0.9


def test_a_loss_beyond_the_limit_is_refused(float32, pictures, tmp_path):
    with pytest.raises(InputError, match=r'from 1\.0000 to 0\.9000 on 8 images'):
        to_int8(copied(float32, tmp_path), eight_bits(pictures, Disappointed))


class Unlucky(Agreement):
    """Likes the third file as much as the first, and not the second."""

    def score(self, exported):
        self.seen = getattr(self, 'seen', 0) + 1
        return 0.5 if self.seen == 2 else 1.0


def test_where_smoothing_fails_it_is_left_out(float32, pictures, tmp_path):
    smoothed = to_int8(copied(float32, new(tmp_path, 'a')), eight_bits(pictures, max_drop=0.5))
    file = copied(float32, new(tmp_path, 'b'))
    card = to_int8(file, eight_bits(pictures, Unlucky))
    assert card.int8['int8'] == 1
    assert smoothed.int8['in_float32'] == card.int8['in_float32']
    answers = [
        load(tmp_path / part / file.name).predict(cv2.imread(str(pictures[-1]))).scores
        for part in 'ab'
    ]
    assert not np.array_equal(*answers)


class Stubborn(Agreement):
    """Likes what comes after the first layer is left in float32 as much as the first file."""

    def score(self, exported):
        self.seen = getattr(self, 'seen', 0) + 1
        return 0.9 if self.seen == 3 else 1.0  # after the file, and the graph that NNCF begins with


def test_layers_are_left_in_float32_until_little_is_lost(float32, pictures, tmp_path, capsys):
    card = to_int8(copied(float32, tmp_path), eight_bits(pictures, Stubborn, control=True))
    assert card.int8['int8'] == 1
    assert card.int8['in_float32']
    tried = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] for line in tried] == ['1.0000', '0.9000', '1.0000']


def test_pictures_on_which_nothing_is_seen_are_no_calibration(float32, pictures, tmp_path):
    for i in range(FEWEST):
        cv2.imwrite(str(tmp_path / f'{i}.png'), np.full((64, 64), i % 3, np.uint8))
    masks = sorted(tmp_path.iterdir())
    with pytest.raises(InputError, match='the model predicts the same or nothing'):
        to_int8(float32, Int8(pictures=masks, judge=partial(Agreement, files=pictures)))


def test_pictures_that_it_is_judged_by_are_no_calibration(float32, pictures, tmp_path):
    copy = tmp_path / 'copy.png'
    copy.write_bytes(pictures[-1].read_bytes())
    settings = eight_bits([copy, *pictures[1:]])
    with pytest.raises(InputError, match=r'copy\.png is one of the images .*evaluated on'):
        to_int8(float32, settings)


def test_few_pictures_are_too_few(pictures):
    with pytest.raises(InputError, match='--calibrate: 3 images are too few'):
        Int8(pictures=pictures[:3], judge=Agreement)


def scored(found, wanted, picture):
    """The agreement of two answers to one picture."""
    return Agreement(SimpleNamespace(predict=lambda _: wanted), [picture]).score(
        SimpleNamespace(predict=lambda _: found)
    )


BOXES = np.array([[0, 0, 10, 10], [20, 20, 30, 30], [0, 0, 5, 5]], np.float32)


def objects(*rows, scores=(0.9, 0.8, 0.2)):
    rows = [*rows]
    return Detected(BOXES[rows], np.array(scores)[rows], np.array([0, 1, 2])[rows])


@pytest.mark.parametrize(
    ('found', 'wanted', 'share'),
    [
        (Classified(np.array([0.1, 0.9])), Classified(np.array([0.4, 0.6])), 1),
        (Classified(np.array([0.9, 0.1])), Classified(np.array([0.4, 0.6])), 0),
        (Segmented(np.array([[1, 2], [3, 4]])), Segmented(np.array([[1, 2], [3, 0]])), 0.75),
        (objects(1, 0), objects(0, 1, 2), 1),  # in any order; an unsure object does not count
        (objects(0), objects(0, 1, 2), 0.5),
        (objects(), objects(0), 0),
    ],
    ids=range(6),
)
def test_agreement_is_the_share_that_is_found_again(found, wanted, share, pictures):
    assert scored(found, wanted, pictures[0]) == share


def test_signals_are_handled_where_they_were(float32):
    found = [(ctypes.c_void_p * 3)() for _ in range(2)]  # a struct of the system, 24 bytes
    for each in found:
        ctypes.CDLL(None).sigaltstack(None, ctypes.byref(each))
        graphs = [load(float32) for _ in range(2)]
        del graphs[0]
    assert bytes(found[0]) == bytes(found[1])
