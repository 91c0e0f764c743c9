"""A file may run in bfloat16 where little is lost by that; the proof is in its card."""

from dataclasses import replace
from functools import partial

import cv2
import numpy as np
import pytest

from vitbackbones.errors import InputError
from vitbackbones.export import lower_precision
from vitbackbones.export.judges import Agreement
from vitbackbones.export.lower_precision import prove_bfloat16
from vitbackbones.runtime import load
from vitbackbones.runtime.model import has_bfloat16

from .test_int8 import copied, float32, pictures  # noqa: F401 (fixtures)

pytest.importorskip('openvino')


@pytest.fixture
def file(float32, tmp_path):  # noqa: F811
    return copied(float32, tmp_path)


@pytest.fixture
def judged(pictures):  # noqa: F811
    return partial(Agreement, files=pictures[-8:])


@pytest.mark.skipif(not has_bfloat16(), reason='the processor has no bfloat16')
def test_a_file_that_was_proven_runs_in_bfloat16(file, judged, pictures):  # noqa: F811
    image = np.random.default_rng(0).standard_normal((1, 3, 64, 64)).astype(np.float32)
    exact = load(file).run(image)['logits']
    card = prove_bfloat16(file, judged)
    assert card.bf16['float32'] == 1
    assert card.bf16['bf16'] >= 0.995
    assert card.bf16['pictures'] == 8
    card.write(file)
    half = load(file)
    assert half.runtime.endswith(' in bf16')
    difference = np.abs(half.run(image)['logits'] - exact).max() / np.abs(exact).max()
    assert 0 < difference < 0.05
    np.testing.assert_array_equal(load(file, precision='f32').run(image)['logits'], exact)


class Disappointed(Agreement):
    """Likes the first answers alone."""

    def score(self, exported):
        self.seen = getattr(self, 'seen', 0) + 1
        return 1.0 if self.seen == 1 else 0.994


@pytest.mark.skipif(not has_bfloat16(), reason='the processor has no bfloat16')
def test_a_loss_beyond_the_limit_is_refused(file, pictures):  # noqa: F811
    judge = partial(Disappointed, files=pictures[-8:])
    with pytest.raises(InputError, match=r'1\.0000 to 0\.9940 on 8 .*--max-drop 0\.005 allows'):
        prove_bfloat16(file, judge)
    assert prove_bfloat16(file, judge, max_drop=0.01).bf16['bf16'] == 0.994


def test_without_the_processor_nothing_is_proven(file, judged, monkeypatch):
    monkeypatch.setattr(lower_precision, 'has_bfloat16', lambda: False)
    with pytest.raises(InputError, match='no instructions for bfloat16 .*measured here'):
        prove_bfloat16(file, judged)


def test_pictures_that_are_answered_at_a_time_have_their_own_answers(file, pictures):  # noqa: F811
    alone = load(file)
    streams = load(file, streams=True)
    assert alone.at_once == 1
    assert streams.at_once >= 1
    streams._graph = replace(streams._graph, at_once=3)  # as on a machine with more cores
    images = [alone.prepare(cv2.imread(str(path))) for path in pictures[:8]]
    found = [answer.scores for answer in streams.answer(images)]
    wanted = [alone.answer([image])[0].scores for image in images]
    np.testing.assert_allclose(found, wanted, atol=1e-6)
    assert len({tuple(scores) for scores in found}) == 8
