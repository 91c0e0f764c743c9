"""``predict --track`` as a user calls it."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from ...inference.films import Truth, film, idf1, write_film
from ..test_messages import refused

pytest.importorskip('trackers')


def test_shapes_keep_their_identities_in_a_film(run, tool, tmp_path):
    frames, truths = zip(*film(3, frames=30, shapes=2), strict=True)
    write_film(tmp_path / 'a film.mp4', frames)
    write_film(tmp_path / 'short.avi', frames[:1])
    predict = ('predict', 'detr_aug_vit_s_shapes', 'a film.mp4', 'short.avi', '--track')
    said = run(*predict, '--out', 'out', '--batch-size', '8')
    assert 'tracks/a film.mp4.txt and pictures in' in said.out
    objects = json.loads(Path('out/predictions.json').read_text())
    rows = [[each for each in objects if each.get('frame') == i] for i in range(len(frames))]
    found = [_truth([each for each in row if 'track_id' in each]) for row in rows]
    assert idf1(truths, found) >= 0.85
    lines = Path('out/tracks/a film.mp4.txt').read_text().splitlines()
    assert len(lines) == sum('track_id' in each for each in objects)
    drawn = cv2.VideoCapture('out/pictures/a film.mp4.mp4')
    assert drawn.get(cv2.CAP_PROP_FRAME_COUNT) == len(frames)

    others = [word for word in predict if word != '--track']
    result = tool(*others, '--out', 'out', '--batch-size', '8', '--resume')
    refused(result, '--resume', '--track was True and is now False')


def _truth(objects):
    corners = np.array([each['bbox'] for each in objects], np.float32).reshape(-1, 4)
    corners[:, 2:] += corners[:, :2]
    kinds = np.array([each['category_id'] for each in objects], int)
    return Truth(np.array([each['track_id'] for each in objects], int), kinds, corners)


def test_a_film_of_one_image_has_no_tracks(run, tmp_path):
    write_film(tmp_path / 'short.avi', [next(film(3, 1))[0]])
    result = run('predict', 'detr_aug_vit_s_shapes', 'short.avi', '--track', '--out', 'out')
    assert 'no object was found in two frames in a row, so there is no track' in result.err
    assert not Path('out/tracks').exists()
    assert 'track_id' not in Path('out/predictions.json').read_text()


def test_images_and_models_without_objects_are_refused(tool, tmp_path):
    write_film(tmp_path / 'a.avi', [next(film(3, 1))[0]])
    cv2.imwrite('a.jpg', np.zeros((64, 64, 3)))
    track = ('--track', '--out', 'out')
    result = tool('predict', 'detr_aug_vit_s_shapes', 'a.avi', 'a.jpg', *track)
    refused(result, '--track', 'a.jpg is an image. Make a video of the images')
    result = tool('predict', 'setr_mla_msf_vit_ti_shapes', 'a.avi', *track)
    refused(result, '--track', 'this model is for segmentation')
