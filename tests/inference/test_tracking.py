"""Objects of videos keep their numbers, for boxes that are true and for those of a model."""

import sys
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from vitbackbones.data.sources import Frame, Source
from vitbackbones.errors import InputError
from vitbackbones.inference.run import Tracking, require_trackable
from vitbackbones.inference.writers import ObjectWriter
from vitbackbones.runtime.answers import Detected

from .films import RATE, Truth, film, idf1

trackers = pytest.importorskip('trackers')
SURE = np.full(3, 0.5, np.float32)


def frame(number, name='film.mp4'):
    pixels = np.zeros((128, 128, 3), np.uint8)
    return Frame(Source(Path(name), name), pixels, number, RATE)


def answer(truth, score=0.9):
    return Detected(truth.boxes, np.full(len(truth.ids), score, np.float32), truth.kinds)


def followed(truths, answers, name='film.mp4'):
    """Return what is followed, in the form of the truth."""
    tracking = Tracking(SURE)
    found = []
    for number, each in enumerate(answers):
        got = tracking.follow(frame(number, name), each)
        chosen = got.tracks >= 0
        found.append(Truth(got.tracks[chosen], got.labels[chosen], got.boxes[chosen]))
    return found


def box(left, score=0.9, label=0):
    corners = np.array([[left, 10, left + 40, 50]], np.float32)
    return Detected(corners, np.array([score], np.float32), np.array([label]))


def joined(*answers):
    parts = ('boxes', 'scores', 'labels')
    return Detected(*(np.concatenate([getattr(a, part) for a in answers]) for part in parts))


def test_true_boxes_keep_their_identities():
    reached = []
    for seed in range(8):
        truths = [truth for _, truth in film(seed, frames=100, shapes=3)]
        reached.append(idf1(truths, followed(truths, map(answer, truths))))
    assert np.mean(reached) >= 0.95


def test_a_measure_that_sees_exchanged_identities():
    truths = [truth for _, truth in film(0, frames=20, shapes=3)]
    assert idf1(truths, truths) == 1
    exchanged = [t._replace(ids=(t.ids + (i >= 10)) % 3) for i, t in enumerate(truths)]
    assert 0.3 < idf1(truths, exchanged) < 0.7


def test_numbers_begin_at_1_in_each_video_and_wait_for_a_second_frame():
    tracking = Tracking(SURE)
    for name in ('a.mp4', 'b.mp4'):
        tracks = [tracking.follow(frame(i, name), box(10 + i)).tracks.tolist() for i in range(3)]
        assert tracks == [[-1], [1], [1]]


@pytest.mark.parametrize('rate', [0.2, 1, 10, 240, 1000])
def test_films_of_any_rate_have_tracks(rate):
    tracking = Tracking(SURE)
    tracks = [
        tracking.follow(replace(frame(i), rate=rate), box(10 + 4 * i)).tracks.tolist()
        for i in range(4)
    ]
    assert tracks == [[-1], [1], [1], [1]]


def test_an_object_that_is_half_hidden_or_lost_for_a_while_keeps_its_number():
    tracking = Tracking(SURE)
    scores = [0.9, 0.9, 0.9, 0.2, 0.2, 0.9]  # 0.2 is enough to go on, and not to begin
    assert [tracking.follow(frame(i), box(10, s)).tracks[0] for i, s in enumerate(scores)][1:] == (
        [1] * 5
    )
    nothing = box(10).sure(np.ones(3))
    assert tracking.follow(frame(6), nothing).tracks.shape == (0,)
    assert tracking.follow(frame(7), box(11)).tracks.tolist() == [1]
    weak = Tracking(SURE)
    assert all(weak.follow(frame(i), box(10, 0.3)).tracks[0] == -1 for i in range(4))


def test_two_boxes_of_one_object_are_one_track_whatever_their_classes():
    tracking = Tracking(SURE)
    for i in range(4):
        twice = joined(box(10, 0.9, label=0), box(12, 0.8, label=1), box(80, 0.7, label=2))
        got = tracking.follow(frame(i), twice)
    assert got.tracks.tolist() == [1, -1, 2]
    label = [tracking.follow(frame(i), box(11, label=i % 2)).tracks[0] for i in range(4, 8)]
    assert label == [1] * 4  # a class that flickers


def test_followed_objects_are_shown_and_written_whatever_their_scores():
    masks = np.ones((2, 128, 128), bool)
    found = replace(joined(box(10), box(60, 0.2)), masks=masks, tracks=np.array([-1, 7]))
    assert found.sure(SURE).tracks.tolist() == [-1, 7]
    assert found.sure(np.ones(3)).masks.shape == (1, 128, 128)
    assert [each.get('track_id') for each in found.to_coco()] == [None, 7]
    assert found.to_dataframe().track.tolist() == [-1, 7]
    detections = found.to_supervision()
    assert Detected.from_supervision(detections).tracks.tolist() == [-1, 7]


def test_tracks_are_written_in_the_form_of_mot_challenge(tmp_path):
    writer = ObjectWriter(tmp_path, {'classes': 'abc'}, SURE)
    tracking = Tracking(SURE)
    records = [
        writer.record(frame(i, 'sub/film.mp4'), tracking.follow(frame(i), joined(box(10), box(70))))
        for i in range(3)
    ]
    assert 'tracks/sub/film.mp4.txt' in writer.write(records)
    file = tmp_path / 'tracks/sub/film.mp4.txt'
    assert file.read_text().splitlines()[0] == '2,1,10.0,10.0,40.0,40.0,0.9,-1,-1,-1'
    read = trackers.load_mot_file(file)
    assert [*read] == [2, 3]
    assert read[3].ids.tolist() == [1, 2]
    assert read[3].boxes.tolist() == [[10, 10, 40, 40], [70, 10, 40, 40]]


def test_a_drawn_object_has_its_number_and_a_color_of_its_own():
    writer = ObjectWriter(Path(), {'classes': 'abc'}, SURE)
    drawn = []
    for tracks in (None, [-1, -1], [1, 2]):
        numbers = None if tracks is None else np.array(tracks)
        found = replace(joined(box(10), box(70)), tracks=numbers)
        drawn.append(np.asarray(writer.draw(frame(0), found)))
    assert (drawn[0] == drawn[1]).all()
    assert (drawn[0] != drawn[2]).any()
    scale = drawn[0].shape[1] / 128
    edges = [drawn[2][int(49.5 * scale), int(x * scale)].tolist() for x in (30, 90)]
    assert edges[0] != edges[1]


@pytest.mark.parametrize(
    ('task', 'name', 'message'),
    [
        ('segmentation', 'a.mp4', 'follows the objects of a detector; this model is for segm'),
        ('classification', 'a.mp4', 'this model is for classification'),
        (
            'detection',
            'a.jpg',
            r"a.jpg is an image. Make a video .* ffmpeg -i '%06d.jpg' video.mp4",
        ),
    ],
)
def test_what_cannot_be_followed_is_refused(task, name, message):
    with pytest.raises(InputError, match=f'--track: .*{message}'):
        require_trackable(task, [Source(Path('b.avi'), 'b.avi'), Source(Path(name), name)])


def test_a_package_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, 'trackers', None)
    with pytest.raises(InputError, match='install it: pip install trackers'):
        require_trackable('detection', [])


def test_segments_alone_are_not_followed():
    with pytest.raises(InputError, match='panoptic segments and no objects'):
        Tracking(SURE).follow(frame(0), Detected(segments=np.zeros((4, 4))))


def test_films_of_shapes_are_what_the_truth_says():
    image, truth = next(film(3, frames=1, shapes=2))
    for left, top, right, bottom in truth.boxes.astype(int):
        inside = image[top:bottom, left:right].astype(int)
        assert inside.max(-1).mean() > cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).mean()
