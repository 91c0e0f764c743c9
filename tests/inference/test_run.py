"""The three stages of a prediction: they overlap, in order, with few batches in memory."""

from threading import Barrier, Event

import cv2
import numpy as np
import pytest

from vitbackbones.data.sources import find_sources
from vitbackbones.inference.journal import Journal
from vitbackbones.inference.run import Run
from vitbackbones.inference.writers import ScoreWriter
from vitbackbones.runtime.answers import Classified

FILES = 9


class Model:
    """Answers each picture with its number, and notes what it is asked."""

    meta, color, at_once = {'classes': ('class',)}, 'color', 1

    def __init__(self):
        self.prepared, self.most_ahead = 0, 0

    def prepare(self, frame):
        self.prepared += 1
        return {'inputs': np.zeros((3, 8, 8)), 'number': int(frame.source.path.stem)}

    def answer(self, samples):
        numbers = [sample['number'] for sample in samples]
        self.most_ahead = max(self.most_ahead, self.prepared - numbers[-1] - 1)
        return [Classified(np.array([number], np.float32)) for number in numbers]


@pytest.fixture
def sources(tmp_path):
    for number in range(FILES):
        cv2.imwrite(str(tmp_path / f'{number}.png'), np.zeros((8, 8, 3), np.uint8))
    return find_sources([tmp_path], tmp_path / 'out')


def run(tmp_path, model, draw=False, writer=ScoreWriter):
    writer = writer(tmp_path / 'out', model.meta, 0.3)
    return Run(model, writer, Journal(tmp_path / 'out', {}, resume=False), 2, draw)


def test_results_are_in_order_and_one_batch_at_most_is_read_ahead(sources, tmp_path):
    model = Model()
    run(tmp_path, model).all(sources)
    records = Journal(tmp_path / 'out', {}, resume=True).read([each.name for each in sources])
    assert [record['best'][0]['score'] for record in records] == list(range(FILES))
    assert model.most_ahead <= 2


def test_batches_are_read_answered_and_written_at_once(sources, tmp_path):
    together = Barrier(3)  # for the fifth and sixth file, the third and fourth, the first two

    class Waiting(Model):
        def prepare(self, frame):
            if frame.source.path.stem == '4':
                together.wait(timeout=60)
            return super().prepare(frame)

        def answer(self, samples):
            if samples[0]['number'] == 2:
                together.wait(timeout=60)
            return super().answer(samples)

    class WaitingWriter(ScoreWriter):
        def record(self, frame, answer):
            if frame.source.path.stem == '0':
                together.wait(timeout=60)
            return super().record(frame, answer)

    done = run(tmp_path, Waiting(), writer=WaitingWriter)
    done.all(sources)
    assert not done.failed


def test_the_next_batch_begins_before_a_slow_picture_is_done(sources, tmp_path):
    begun = Event()

    class Slow(Model):
        at_once = 2

        def answer(self, samples):
            if samples[0]['number'] == 2:
                begun.set()
            elif samples[0]['number'] == 0:
                assert begun.wait(timeout=60)
            return super().answer(samples)

    done = run(tmp_path, Slow())
    done.all(sources)
    assert not done.failed
    records = Journal(tmp_path / 'out', {}, resume=True).read([each.name for each in sources])
    assert [record['best'][0]['score'] for record in records] == list(range(FILES))


def test_a_batch_that_fails_beside_others_costs_its_files_only(sources, tmp_path):
    class Failing(Model):
        at_once = 2

        def answer(self, samples):
            if samples[0]['number'] == 2:
                raise MemoryError('too large')
            return super().answer(samples)

    done = run(tmp_path, Failing())
    done.all(sources)
    assert sorted(done.failed) == ['2.png', '3.png']
    names = [each.name for each in sources if each.name not in done.failed]
    assert len(Journal(tmp_path / 'out', {}, resume=True).read(names)) == FILES - 2


@pytest.mark.parametrize('at_once', [1, 2])
def test_batches_before_a_failure_of_the_pipeline_are_written(
    sources, tmp_path, monkeypatch, at_once
):
    monkeypatch.setattr('vitbackbones.inference.run.ATTEMPTS', 3)

    class Failing(Model):
        def prepare(self, frame):
            if int(frame.source.path.stem) > 3:
                raise ValueError('no such step')
            return super().prepare(frame)

    model = Failing()
    model.at_once = at_once
    with pytest.raises(ValueError, match='no such step'):
        run(tmp_path, model).all(sources)
    assert Journal(tmp_path / 'out', {}, resume=True).answered == {f'{i}.png' for i in range(4)}


def test_after_a_batch_that_cannot_be_written_comes_no_other(sources, tmp_path):
    class Full(ScoreWriter):
        def record(self, frame, answer):
            if frame.source.path.stem == '4':
                raise OSError('no space')
            return super().record(frame, answer)

    with pytest.raises(OSError, match='no space'):
        run(tmp_path, Model(), writer=Full).all(sources)
    assert Journal(tmp_path / 'out', {}, resume=True).answered == {f'{i}.png' for i in range(4)}


def test_each_video_is_ended_before_the_next_begins(tmp_path):
    for name in '01':
        codec = cv2.VideoWriter.fourcc(*'MJPG')
        video = cv2.VideoWriter(str(tmp_path / f'{name}.avi'), codec, 5, (16, 16))
        for _ in range(3):
            video.write(np.zeros((16, 16, 3), np.uint8))
        video.release()
    found = find_sources([tmp_path], tmp_path / 'out')
    working = run(tmp_path, Model())
    ended = []
    working.pictures.end_video = lambda: ended.append(
        len(working.journal.path.read_bytes().splitlines())
    )
    working.all(found)
    assert ended == [3, 7]  # lines of frames, and one for the end of the first video
