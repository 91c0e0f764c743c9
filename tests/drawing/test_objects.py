"""What is drawn of an image: annotated or predicted, objects or segments."""

import json
import shutil

import numpy as np

from vitbackbones.data.shapes.writing import KINDS, write
from vitbackbones.drawing.objects import annotated, predicted
from vitbackbones.runtime.answers import Detected
from vitbackbones.runtime.run_lengths import to_rle


def test_annotated_masks_of_any_form():
    mask = np.zeros((6, 8), bool)
    mask[2:4, 3:7] = True
    box = {'bbox': [3, 2, 7, 4], 'bbox_label': 1}
    forms = [to_rle(mask), [[3, 2, 7, 2, 7, 4, 3, 4]], {'size': [6, 8], 'counts': [48]}]
    info = {'height': 6, 'width': 8, 'instances': [box | {'mask': form} for form in forms]}
    found = annotated(info)
    assert found.boxes.tolist() == [[3, 2, 7, 4]] * 3
    assert [np.array_equal(each, mask) for each in found.masks] == [True, True, False]
    assert annotated(info | {'instances': [box]}).masks is None
    assert len(annotated(info | {'instances': []}).boxes) == 0


def test_annotated_segments(tmp_path):
    root = write(tmp_path / 'shapes', train=1, val=1, size=48)
    folder = root / 'annotations' / 'panoptic_train'
    infos = json.loads(folder.with_suffix('.json').read_text())['annotations'][0]['segments_info']
    segments = [
        {'id': info['id'], 'category': info['category_id'] - 1, 'is_thing': 1} for info in infos
    ]
    missing = {'id': 77, 'category': 2, 'is_thing': 1}  # has no pixels
    path = str(folder / '000000.png')
    found = annotated({'segments_info': [*segments, missing], 'seg_map_path': path})
    assert found.labels.tolist() == [info['category_id'] - 1 for info in infos]
    assert found.masks.sum((1, 2)).tolist() == [info['area'] for info in infos]
    copy = shutil.copy(path, tmp_path / '\udcff.png')  # a name that is not UTF-8
    again = annotated({'segments_info': segments, 'seg_map_path': str(copy)})
    assert np.array_equal(again.masks, found.masks)
    widths = found.boxes[:, 2:] - found.boxes[:, :2]
    assert widths.tolist() == [info['bbox'][2:] for info in infos]


def objects(**more):
    random = np.random.default_rng(0)
    scores, masks = np.array([0.2, 0.9, 0.3]), random.random((3, 5, 6)) > 0.5
    return Detected(random.random((3, 4)), scores, np.arange(3), masks, **more)


def test_objects_that_are_sure_enough():
    found = objects()
    drawn = predicted(found, len(KINDS), threshold=0.25)
    assert drawn.labels.tolist() == [1, 2]
    assert np.array_equal(drawn.masks, found.masks[1:])
    assert len(predicted(found, len(KINDS), threshold=1).boxes) == 0


def test_segments_come_before_objects():
    found = objects(segments=np.array([[3, 3, 1001], [4, 3, 2001]]))
    drawn = predicted(found, 4, threshold=0.5)
    assert drawn.labels.tolist() == [3, 1, 1]
    assert drawn.boxes.tolist() == [[0, 0, 2, 2], [2, 0, 3, 1], [2, 1, 3, 2]]
    assert drawn.scores is None
    nothing = Detected(segments=np.full((5, 6), 4))
    assert len(predicted(nothing, 4, threshold=0.5).boxes) == 0
