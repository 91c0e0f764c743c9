"""Drawn pictures and videos are complete or absent."""

import json
from dataclasses import replace
from pathlib import Path
from time import process_time

import cv2
import numpy as np
import pytest
from PIL import Image

from vitbackbones.data.sources import Frame, Source
from vitbackbones.drawing.sheet import save
from vitbackbones.errors import InputError
from vitbackbones.inference.writers import (
    VIDEO_LEGEND,
    MaskWriter,
    ObjectWriter,
    PictureWriter,
    ScoreWriter,
)
from vitbackbones.runtime.answers import Classified, Detected, Segmented


def frame(name, number):
    source = Source(Path(name), name)
    return Frame(source, np.zeros((32, 32, 3), np.uint8), number, rate=5)


@pytest.mark.parametrize('stopped', [True, False])
def test_a_video_gets_its_name_when_it_is_complete(tmp_path, stopped):
    writer, picture = PictureWriter(tmp_path), Image.new('RGB', (32, 32))
    for number in range(3):
        writer.add(frame('a.avi', number), picture)
    assert [file.name for file in tmp_path.iterdir()] == ['a.avi.part.mp4']
    if not stopped:
        writer.end_video()
    writer.close()
    assert [file.name for file in tmp_path.iterdir()] == ['a.avi.mp4'] * (not stopped)


def test_a_picture_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    file = save(Image.new('RGB', (8, 8)), tmp_path / 'a' / 'x.png')
    before = file.read_bytes()

    def full(_):
        raise OSError(28, 'No space left on device')

    monkeypatch.setattr('os.fsync', full)
    with pytest.raises(InputError, match='cannot be written .No space left'):
        save(Image.new('RGB', (9, 9)), file)
    assert file.read_bytes() == before
    assert [*file.parent.iterdir()] == [file]


def test_files_have_a_line_for_each_object(tmp_path):
    writer = ObjectWriter(tmp_path, META, 0.3)
    objects = [{'category_id': 1, 'bbox': [1.0, 2, 3, 4], 'score': 0.5}] * 2
    records = [{'file_name': 'ä.png', 'width': 4, 'height': 3, 'objects': objects}]
    assert writer.write(records) == ['images.json', 'predictions.json']
    for name, content in writer.documents(records).items():
        assert json.loads((tmp_path / name).read_text()) == content
    lines = (tmp_path / 'predictions.json').read_text().splitlines()
    assert [line.startswith('{"image_id": 1,') for line in lines] == [False, True, True, False]


META = {'classes': ['ant', 'bee', 'cat'], 'palette': [[9, 0, 0], [0, 9, 0], [0, 0, 9]]}


def image(width=40, height=30):
    return Frame(Source(Path('a.png'), 'a.png'), np.zeros((height, width, 3), np.uint8))


def test_a_video_has_even_sides_and_each_frame(tmp_path):
    writer = PictureWriter(tmp_path)
    for name in ('b/a.avi', 'c.avi'):
        for number in range(2):
            writer.add(frame(name, number), Image.new('RGB', (33, 35), 'red'))
    assert (tmp_path / 'b' / 'a.avi.mp4').is_file()  # the next one has begun
    assert not (tmp_path / 'c.avi.mp4').exists()
    writer.end_video()
    video = cv2.VideoCapture(str(tmp_path / 'c.avi.mp4'))
    frames = [pixels for is_there, pixels in iter(video.read, (False, None)) if is_there]
    assert [pixels.shape for pixels in frames] == [(34, 32, 3)] * 2
    assert frames[0][10, 10].argmax() == 2  # red
    assert video.get(cv2.CAP_PROP_FPS) == 5
    writer.add(image(), Image.new('RGB', (8, 8)))
    assert (tmp_path / 'a.png.jpg').is_file()
    writer.end_video()  # of none
    writer.close()


def test_the_best_classes_come_first(tmp_path):
    meta = {'classes': [*'abcdefg']}
    scores = np.array([0.1, 0.3, 0.05, 0.2, 0.15, 0.123456, 0.076544], np.float32)
    record = ScoreWriter(tmp_path, meta, 0.3).record(image(), Classified(scores))
    assert record['file_name'] == 'a.png'
    assert [entry['class'] for entry in record['best']] == [*'bdefa']
    assert [entry['label'] for entry in record['best']] == [1, 3, 4, 5, 0]
    assert record['best'][3]['score'] == 0.12346


def test_masks_are_indexed_and_shares_of_pixels_are_told(tmp_path):
    labels = np.zeros((30, 40), int)
    labels[:10] = 2
    writer = MaskWriter(tmp_path, META, 0.3)
    record = writer.record(image(), Segmented(labels))
    assert record == {
        'file_name': 'a.png',
        'mask': 'masks/a.png.png',
        'classes': {'ant': 0.66667, 'cat': 0.33333},
    }
    mask = Image.open(tmp_path / 'masks' / 'a.png.png')
    assert (np.asarray(mask) == labels).all()
    assert mask.getpalette()[:9] == [9, 0, 0, 0, 9, 0, 0, 0, 9]
    still = writer.draw(image(400, 300), Segmented(np.zeros((300, 400), int)))
    assert still.height < 300 + VIDEO_LEGEND
    moving = Frame(image().source, np.zeros((300, 400, 3), np.uint8), 0)
    assert writer.draw(moving, Segmented(np.zeros((300, 400), int))).height == 300 + VIDEO_LEGEND


@pytest.mark.parametrize(
    ('classes', 'colors', 'message'),
    [(256, 256, '256 classes do not fit'), (3, 2, '2 colors for 3 classes'), (255, 300, None)],
)
def test_as_many_classes_as_a_png_file_can_number(tmp_path, classes, colors, message):
    meta = {
        'classes': [str(i) for i in range(classes)],
        'palette': [[i % 256] * 3 for i in range(colors)],
    }
    if message is None:
        assert len(MaskWriter(tmp_path, meta, 0.3).palette) == 256
        return
    with pytest.raises(InputError, match=message):
        MaskWriter(tmp_path, meta, 0.3)
    meta.pop('palette')
    assert len(ScoreWriter(tmp_path, meta, 0.3).palette) >= classes


def objects(**more):
    boxes = np.array([[1, 2, 11, 22], [0.123456, 0, 5, 5]], np.float32)
    return Detected(boxes, np.array([0.9, 0.1], np.float32), np.array([2, 0]), **more)


def test_objects_in_the_format_of_coco(tmp_path):
    masks = np.zeros((2, 30, 40), bool)
    masks[0, 2:22, 1:11] = True
    writer = ObjectWriter(tmp_path, META, 0.3)
    record = writer.record(image(), objects())
    assert (record['width'], record['height']) == (40, 30)
    first, second = record['objects']
    assert first == {'category_id': 3, 'bbox': [1, 2, 10, 20], 'score': 0.9}
    assert second == {'category_id': 1, 'bbox': [0.12, 0, 4.88, 5], 'score': 0.1}
    first, second = writer.record(image(), objects(masks=masks))['objects']
    assert first['segmentation']['size'] == second['segmentation']['size'] == [30, 40]
    outlines = ObjectWriter(tmp_path, META, 0.3, 'polygons')
    first, second = outlines.record(image(), objects(masks=masks))['objects']
    assert sorted(first['segmentation'][0][:2]) == [1, 2]
    assert isinstance(second['segmentation'], dict)  # an empty mask has no polygon


def test_segments_in_the_format_of_coco(tmp_path):
    segments = np.full((30, 40), 3)  # nothing
    segments[:10], segments[10:20, :20] = 1, 1002
    record = ObjectWriter(tmp_path, META, 0.3).record(image(), Detected(segments=segments))
    assert record['panoptic'] == 'a.png.png'
    infos = {info['category_id']: info for info in record['segments_info']}
    assert sorted(infos) == [2, 3]
    assert [infos[key]['area'] for key in (2, 3)] == [400, 200]
    assert sorted(info['id'] for info in infos.values()) == [1, 2]
    pixels = np.asarray(Image.open(tmp_path / 'panoptic' / 'a.png.png'))
    assert {tuple(color) for color in pixels.reshape(-1, 3)} == {(0, 0, 0), (1, 0, 0), (2, 0, 0)}
    assert 'objects' not in record


def test_documents_number_images_and_name_frames(tmp_path):
    writer = ObjectWriter(tmp_path, META, 0.3)
    sides = {'width': 40, 'height': 30}
    with_objects = {'file_name': 'a', **sides, 'objects': [{'category_id': 1}]}
    with_segments = {'file_name': 'b', 'frame': 7, **sides, 'panoptic': 'b/7.png'}
    with_segments |= {'segments_info': [{'id': 1}]}
    files = writer.documents([with_objects, with_segments])
    assert list(files) == ['images.json', 'panoptic.json', 'predictions.json']
    images = [
        {'id': 1, 'file_name': 'a', **sides},
        {'id': 2, 'file_name': 'b', 'frame': 7, **sides},
    ]
    assert files['images.json']['images'] == images
    assert files['images.json']['categories'][2] == {'id': 3, 'name': 'cat'}
    assert files['images.json']['annotations'] == []
    assert files['predictions.json'] == [{'image_id': 1, 'category_id': 1, 'file_name': 'a'}]
    assert files['panoptic.json']['annotations'] == [
        {'image_id': 2, 'file_name': 'b/7.png', 'segments_info': [{'id': 1}]}
    ]
    assert 'predictions.json' not in writer.documents([with_segments])
    assert list(writer.documents([])) == ['images.json', 'predictions.json']
    assert writer.write([with_segments]) == ['images.json', 'panoptic.json']
    assert json.loads((tmp_path / 'panoptic.json').read_text())['annotations'][0]['image_id'] == 1
    assert ScoreWriter(tmp_path, META, 0.3).write([{'a': 1}]) == ['predictions.json']


@pytest.mark.parametrize('rate', [66.667, 119.983, 1200.25, 10_000, 0.01])
def test_a_video_has_a_rate_that_mpeg_4_can_have(tmp_path, rate):
    writer = PictureWriter(tmp_path)
    for number in range(3):
        writer.add(replace(frame('a.avi', number), rate=rate), Image.new('RGB', (32, 32)))
    writer.end_video()
    written = cv2.VideoCapture(str(tmp_path / 'a.avi.mp4'))
    assert written.get(cv2.CAP_PROP_FPS) == pytest.approx(rate, rel=1e-3)


def test_a_video_at_a_path_that_is_not_utf_8_is_refused(tmp_path):
    with pytest.raises(InputError, match='is not UTF-8'):
        PictureWriter(tmp_path).add(frame('\udcff.avi', 0), Image.new('RGB', (32, 32)))


def test_tracks_of_a_long_video_are_written_at_once(tmp_path):
    entry = {'category_id': 1, 'bbox': [1.0, 2, 3, 4], 'score': 0.5, 'track_id': 7}
    records = [
        {'file_name': 'v.mp4', 'frame': i, 'width': 4, 'height': 3, 'objects': [entry] * 3}
        for i in range(30_000)
    ]
    start = process_time()
    text = ObjectWriter(tmp_path, META, 0.3).documents(records)['tracks/v.mp4.txt']
    assert process_time() - start < 20  # a text that grows line by line took 20 minutes
    assert text.startswith('1,7,1.0,2,3,4,0.5,-1,-1,-1\n')
    assert text.count('\n') == 90_000
