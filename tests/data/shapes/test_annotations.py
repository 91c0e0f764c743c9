"""What is annotated on a scene, where no scene is drawn."""

import numpy as np

from vitbackbones.data.shapes.annotations import segments
from vitbackbones.data.shapes.scene import Scene, Shape


def test_a_picture_that_is_filled_has_no_ground():
    full = np.ones((4, 4), bool)
    scene = Scene(np.zeros((4, 4, 3), np.uint8), ~full, [Shape(2, np.zeros((3, 2)), full)])
    ids, infos = segments(scene, ['a', 'b'])
    assert np.array_equal(ids, full)
    box = [0, 0, 4, 4]
    assert infos == [{'id': 1, 'category_id': 1, 'area': 16, 'bbox': box, 'iscrowd': 0}]
