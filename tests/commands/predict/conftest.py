"""Tiny models of all tasks and kinds of masks, files of every kind, and the tool on them."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from vitbackbones.tasks.predictor import Predictor

from ...openmmlab.conftest import write, write_model
from ..conftest import TINY
from .pictures import FRAMES, film, picture


@pytest.fixture(scope='package')
def models(tmp_path_factory):
    folder = write(tmp_path_factory.mktemp('models'))
    for name in ('mask_rcnn', 'mask2former'):
        write_model(TINY.with_name(f'tiny_{name}.py'), folder)
    return folder


@pytest.fixture
def files(tmp_path):
    """A folder of one picture in many formats, a video, and what is neither."""
    place = tmp_path / 'files'
    (place / 'sub').mkdir(parents=True)
    bgr = picture()
    image = Image.fromarray(bgr[..., ::-1])
    fine = {'quality': 100, 'subsampling': 0}
    for name in ('rgb.png', 'sub/rgb.png'):
        image.save(place / name)
    for mode, name in (('L', 'gray.png'), ('RGBA', 'rgba.png'), ('CMYK', 'cmyk.jpg')):
        image.convert(mode).save(place / name, **(fine if name.endswith('jpg') else {}))
    cv2.imwrite(str(place / 'deep.png'), bgr.astype(np.uint16) * 257)
    exif = image.getexif()
    exif[0x112] = 6  # turn by 90 degrees to view
    image.rotate(90, expand=True).save(place / 'exif.jpg', exif=exif, **fine)
    film(place / 'clip.avi', FRAMES)
    for name in ('notes.txt', '.hidden.png'):
        (place / name).write_text('no picture')
    return place


@pytest.fixture
def predict(tool, models):
    """``predict(task, INPUT, ...)`` runs the tool and reads ``out/predictions.json``, if any."""

    def call(task, *arguments, status=0, out='out'):
        model = models / f'tiny_{task}.py', models / f'tiny_{task}.pth'
        result = tool('predict', *model, *arguments, '--out', out)
        assert result.status == status, result.out + result.err
        result.entries, file = {}, Path(out, 'predictions.json')
        for entry in json.loads(file.read_text()) if file.exists() else ():
            key = entry.pop('file_name'), entry.pop('frame', None)
            entry.pop('image_id', None)
            result.entries.setdefault(key, []).append(entry)
        return result

    return call


@pytest.fixture
def at_batch(monkeypatch):
    """``at_batch(3, action)`` calls ``action()`` before the third batch is answered."""
    answer, calls = Predictor.__call__, []

    def strike(number, action):
        def until_then(self, samples):
            calls.append(samples)
            if len(calls) == number:
                action()
            return answer(self, samples)

        monkeypatch.setattr(Predictor, '__call__', until_then)

    return strike
