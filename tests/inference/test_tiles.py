"""Pictures in tiles: nothing is lost or found twice, and one tile changes nothing."""

import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from mmengine.structures import BaseDataElement

import vitbackbones
from tests.openmmlab.conftest import folder  # noqa: F401
from tests.runtime.graphs import write_classifier
from vitbackbones.configuration.read import read_config
from vitbackbones.data.loading.coco_masks import to_mask
from vitbackbones.data.loading.image_file import UnreadableImage
from vitbackbones.data.sources import Frame, Source
from vitbackbones.errors import InputError
from vitbackbones.export.in_test import use_exported
from vitbackbones.inference import tiles
from vitbackbones.inference.open import OpenModel
from vitbackbones.inference.tiles import MERGES, TiledModel, Tiling, merge_logits, merge_objects
from vitbackbones.inference.tiles_in_test import use_tiles
from vitbackbones.openmmlab.samples import fill
from vitbackbones.runtime.answers import Detected, Segmented

ROWS = slice(0, 100)
LEFT, RIGHT = (ROWS, slice(0, 100)), (ROWS, slice(80, 180))


def detected(*objects):
    """Objects as x1, y1, x2, y2, score, label."""
    values = np.array(objects, np.float32).reshape(-1, 6)
    return Detected(values[:, :4], values[:, 4], values[:, 5].astype(int))


def merged(found, merge='nms'):
    return merge_objects(zip([LEFT, RIGHT], found, strict=True), (100, 180), merge)


class Spots:
    """Find the white pixels of a picture, with its brightness as the score; note the batches."""

    meta = {'classes': ('spot',)}
    runtime = 'numpy'

    def __init__(self):
        self.batches = []

    def prepare(self, frame):
        return {'inputs': frame.pixels}

    def answer(self, samples, logits=False):
        self.batches.append([sample['inputs'].shape[:2] for sample in samples])
        answers = []
        for sample in samples:
            gray = sample['inputs'][..., 0]
            y, x = np.nonzero(gray)
            answers.append(detected(*zip(x, y, x + 1, y + 1, gray[y, x], 0 * x, strict=True)))
        return answers


def frame(pixels):
    return Frame(Source(Path('a.png'), 'a.png'), pixels)


def ask(model, tiling, pixels, batch_size=1):
    tiled = TiledModel(model, tiling, batch_size)
    return tiled.answer([tiled.prepare(frame(pixels))])[0]


@pytest.mark.parametrize('size', [(200, 300), (64, 300), (201, 10), (65, 65)])
@pytest.mark.parametrize('overlap', [0, 0.2, 0.6])
def test_every_pixel_is_in_tiles_of_one_size(size, overlap):
    seen = np.zeros(size)
    for part in Tiling(64, overlap).tiles(*size):
        assert seen[part].shape == (min(64, size[0]), min(64, size[1]))
        seen[part] += 1
    assert seen.all()


@pytest.mark.parametrize('sides', [(32, 64), (64, 32)])
def test_images_to_be_cut_share_no_batch_with_others(sides):
    class Fixed(Spots):
        def prepare(self, frame):  # as a graph that normalizes by itself, of 64 x 64 pixels
            return {'inputs': np.pad(frame.pixels, [(0, 64 - len(frame.pixels))] * 2 + [(0, 0)])}

    images = [np.zeros((side, side, 3), np.uint8) for side in sides]
    images[0][3, 5] = images[1][7, 9] = 200
    found = OpenModel(Fixed(), 'none', Tiling(32)).predict(images, batch_size=2)
    assert [each.boxes.tolist() for each in found] == [[[5, 3, 6, 4]], [[9, 7, 10, 8]]]


def test_what_two_tiles_see_is_found_once_where_it_is():
    pixels = np.zeros((150, 200, 3), np.uint8)
    random = np.random.default_rng(0)
    places = random.permutation(150 * 200)[:99]
    # (99,) of different brightness
    pixels.reshape(-1, 3)[places] = random.permutation(np.arange(100, 199))[:, None]
    model = Spots()
    found, whole = ask(model, Tiling(64), pixels, batch_size=4), ask(Spots(), Tiling(999), pixels)
    assert sum(map(len, model.batches)) == 12
    assert {len(batch) for batch in model.batches} == {4}
    assert (np.diff(found.scores) < 0).all()
    order = np.argsort(-whole.scores)
    np.testing.assert_array_equal(found.boxes, whole.boxes[order])
    np.testing.assert_array_equal(found.scores, whole.scores[order])


def test_a_part_at_an_edge_is_the_object_of_the_next_tile():
    part, whole = (85, 10, 100, 30, 0.6, 0), (5, 10, 35, 30, 0.9, 0)
    found = merged([detected(part), detected(whole)], 'nms')
    np.testing.assert_array_equal(found.boxes, [[85, 10, 115, 30]])
    # the part is surer: alone it stays, joined the object is whole
    part, whole = (85, 10, 100, 30, 0.9, 0), (5, 10, 35, 30, 0.6, 0)
    for merge, box in (('nms', [85, 10, 100, 30]), ('nmm', [85, 10, 115, 30])):
        found = merged([detected(part), detected(whole)], merge)
        np.testing.assert_array_equal(found.boxes, [box])
        np.testing.assert_array_equal(found.scores, np.float32([0.9]))


def test_an_unsure_box_widens_nothing():
    unsure = 0, 0, 90, 90, 0.1, 0
    found = merged([detected((82, 5, 95, 20, 0.9, 0)), detected(unsure)], 'nmm')
    np.testing.assert_array_equal(found.boxes, [[82, 5, 95, 20]])


@pytest.mark.parametrize('merge', MERGES)
def test_objects_of_one_tile_or_of_two_classes_all_stay(merge):
    crowd = (85, 10, 99, 30, 0.9, 0), (86, 10, 98, 30, 0.8, 0)
    other = 5, 10, 19, 30, 0.7, 1
    found = merged([detected(*crowd), detected(other)], merge)
    np.testing.assert_array_equal(found.labels, [0, 0, 1])


@pytest.mark.parametrize('merge', MERGES)
def test_a_small_object_in_front_of_a_large_one_stays(merge):
    large, small = (5, 10, 100, 90, 0.9, 0), (85, 40, 95, 50, 0.8, 0)
    part, again = (0, 10, 20, 90, 0.5, 0), (5, 40, 15, 50, 0.7, 0)  # in the next tile
    found = merged([detected(large, small), detected(part, again)], merge)
    np.testing.assert_array_equal(found.boxes, [large[:4], small[:4]])


@pytest.mark.parametrize('merge', MERGES)
def test_an_object_below_one_of_another_class_is_found_once(merge):
    below, above = (82, 10, 98, 30, 0.9, 0), (82, 10, 98, 31, 0.8, 1)
    again = 2, 12, 18, 31, 0.7, 0  # overlaps the other class more
    found = merged([detected(below, above), detected(again)], merge)
    np.testing.assert_array_equal(found.labels, [0, 1])


def test_tiles_without_objects_give_none():
    found = merged([detected(), detected()], 'nms')
    assert found.boxes.shape == (0, 4)
    assert found.labels.dtype == int


def test_settings_at_their_limits():
    assert len(Tiling(1).tiles(2, 3)) == 6
    assert len(Tiling(10, 0.9).tiles(10, 12)) == 3
    assert len(Tiling(10, 0).tiles(10, 20)) == 2
    assert str(Tiling(10, merge='nmm')) == '10 pixels, overlap 0.2, nmm'


def test_settings_and_sizes_that_cannot_be(monkeypatch):
    wrongs = ({'side': 0}, {'side': 9, 'overlap': 0.91}, {'side': 9, 'merge': 'mean'})
    for wrong in (*wrongs, {'side': 9, 'overlap': -0.1}):
        with pytest.raises(InputError, match='overlap from 0 to 0.9'):
            Tiling(**wrong)
    monkeypatch.setattr(tiles, 'MOST', 8)
    with pytest.raises(UnreadableImage, match=r'a\.png: its 30 x 30 pixels require 9 tiles'):
        ask(Spots(), Tiling(10, 0), np.zeros((30, 30, 3), np.uint8))


def masked(place, score):
    """An object of 20 rows, whose mask leaves out its first row."""
    left, right = place
    mask = np.zeros((1, 100, 100), bool)
    mask[:, 11:30, left:right] = True
    return replace(detected((left, 10, right, 30, score, 0)), masks=mask)


@pytest.mark.parametrize(('merge', 'right'), [('nms', 100), ('nmm', 115)])
def test_masks_are_those_of_the_boxes(merge, right):
    found = merged([masked((85, 100), 0.9), masked((5, 35), 0.6)], merge)
    whole = np.zeros((100, 180), bool)
    whole[11:30, 85:right] = True
    np.testing.assert_array_equal(found.masks[0], whole)
    assert [*found.masks[found.scores > 2]] == []
    sample = BaseDataElement()
    fill(sample, found)  # as COCO's metric reads them
    np.testing.assert_array_equal(to_mask(sample.pred_instances.masks[0], 100, 180), whole)


def test_segments_have_no_numbers_in_common():
    with pytest.raises(InputError, match='--tiles: panoptic segments'):
        merged([Detected(segments=np.zeros((100, 100), int))] * 2)


def logits_of(tiles, classes=5):
    random = np.random.default_rng(0)
    for tile in tiles:
        sides = (side.stop - side.start for side in tile)
        logits = random.integers(0, 99, (classes, *sides))  # whose sums are exact
        yield tile, Segmented(logits.argmax(0), logits.astype(np.float32))


@pytest.mark.parametrize('overlap', [0, 0.3, 0.9])
def test_logits_are_averaged_where_tiles_overlap(overlap):
    tiles = Tiling(40, overlap).tiles(95, 130)
    total, count = np.zeros((5, 95, 130)), np.zeros((95, 130))
    for tile, answer in logits_of(tiles):
        total[(slice(None), *tile)] += answer.logits
        count[tile] += 1
    labels = merge_logits(logits_of(tiles), (95, 130)).labels
    np.testing.assert_array_equal(labels, (total / count).argmax(0))


def test_logits_of_a_row_of_tiles_are_in_memory():
    tiles = Tiling(40, 0.2).tiles(1200, 400)
    tracemalloc.start()
    merge_logits(logits_of(tiles, classes=20), (1200, 400))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1200 * 400 * 20 * 4 / 4  # those of the picture take four times that


@pytest.mark.parametrize('logits', [None, np.zeros((1, 100, 100))])
def test_labels_and_one_class_cannot_be_averaged(logits):
    found = Segmented(np.zeros((100, 100), int), logits)
    with pytest.raises(InputError, match='--tiles: the model has no logits of at least two'):
        merge_logits([(LEFT, found)], (100, 180))


# ------------------------------------------------------------------------ models


def test_one_tile_is_the_plain_answer_to_the_bit(folder):  # noqa: F811
    given, file = (folder / 'tiny_det.py', folder / 'tiny_det.pth'), folder / 'images/0.png'
    plain = vitbackbones.open_model(*given, runtime='torch').predict([file])[0]
    tiled = vitbackbones.open_model(*given, runtime='torch', tiles=80).predict([file])[0]
    np.testing.assert_array_equal(tiled.boxes, plain.boxes)
    np.testing.assert_array_equal(tiled.scores, plain.scores)


def test_a_graph_answers_tiles_as_torch(folder, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    found = []
    for runtime in ('torch', 'openvino'):
        given = folder / 'tiny_det.py', folder / 'tiny_det.pth'
        options = {'cfg_options': {'model.data_preprocessor.bgr_to_rgb': True}, 'tiles': 40}
        model = vitbackbones.open_model(*given, runtime=runtime, **options)
        found += model.predict([folder / 'images/0.png'], batch_size=3)
    assert len(found[0].boxes) > 5
    np.testing.assert_allclose(found[1].boxes, found[0].boxes, atol=1e-3)


def test_a_segmentor_answers_tiles(folder):  # noqa: F811
    given, file = (folder / 'tiny_seg.py', folder / 'tiny_seg.pth'), folder / 'images/0.png'
    plain, one, four = (
        vitbackbones.open_model(*given, runtime='torch', tiles=side).predict([file])[0].labels
        for side in (None, 80, 40)
    )
    np.testing.assert_array_equal(one, plain)
    assert four.shape == plain.shape
    assert (four != plain).any()


def test_classifiers_take_no_tiles(tmp_path):
    write_classifier(tmp_path / 'model.onnx')
    with pytest.raises(InputError, match='--tiles: .*is a classifier and predicts on whole images'):
        vitbackbones.open_model(tmp_path / 'model.onnx', tiles=16)


def test_a_preprocessor_beside_the_model_is_the_models_alone():
    """mmseg's and mmpretrain's configs have it there, and a runner gives it to any model."""
    config = read_config('setr_mla_msf_vit_ti_shapes')
    preprocessor = config.model.pop('data_preprocessor')
    config.data_preprocessor = preprocessor
    tiled = use_tiles(config, Tiling(64))
    assert tiled.model.module.data_preprocessor == preprocessor
    assert 'data_preprocessor' not in tiled
    exported = use_exported(config, 'model.onnx')
    assert 'data_preprocessor' not in exported
    assert config.data_preprocessor == preprocessor
