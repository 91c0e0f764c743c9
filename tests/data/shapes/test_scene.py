"""The drawn scenes: reproducible, in full view, and without a hint beside the outline."""

import cv2
import numpy as np
import pytest

from vitbackbones.data.shapes.scene import VISIBLE, draw_scene


def test_a_scene_is_drawn_the_same_every_time_and_no_other_one_is():
    first, again = draw_scene(7, 'val', seed=3), draw_scene(7, 'val', seed=3)
    assert np.array_equal(first.image, again.image)
    assert [shape.kind for shape in first.shapes] == [shape.kind for shape in again.shapes]
    places = [(index, split) for index in range(40) for split in ('train', 'val')]
    scenes = [draw_scene(*place, size=48) for place in places] + [draw_scene(0, seed=1, size=48)]
    assert len({scene.image.tobytes() for scene in scenes}) == len(scenes)


@pytest.mark.parametrize('size', [32, 128, 301])
def test_scenes_have_the_size_asked_for_and_visible_shapes(size):
    for index in range(10):
        scene = draw_scene(index, size=size)
        assert scene.image.shape == (size, size, 3)
        assert scene.image.dtype == np.uint8
        assert 1 <= len(scene.shapes) <= 5
        for shape in scene.shapes:
            whole = cv2.contourArea(shape.corners.astype(np.float32))
            assert shape.mask.shape == (size, size)
            assert shape.mask.sum() >= VISIBLE * whole


def test_masks_of_a_scene_do_not_overlap_and_some_shapes_are_hidden_in_part():
    hidden = 0
    for index in range(40):
        scene = draw_scene(index)
        assert sum(shape.mask.astype(int) for shape in scene.shapes).max() == 1
        for shape in scene.shapes:
            inside = np.all((shape.corners >= 0) & (shape.corners < 128))
            whole = cv2.contourArea(shape.corners.astype(np.float32))
            hidden += bool(inside and shape.mask.sum() < 0.95 * whole)
    assert hidden >= 4


def test_color_and_place_do_not_tell_the_kind():
    colors, places = {k: [] for k in range(3)}, {k: [] for k in range(3)}
    for index in range(250):
        scene = draw_scene(index, size=64)
        for shape in scene.shapes:
            colors[shape.kind].append(scene.image[shape.mask].mean(0) / 255)
            places[shape.kind].append(shape.corners.mean(0) / 64)
    assert min(len(found) for found in colors.values()) > 100
    for values in (colors, places):
        means = np.stack([np.mean(found, axis=0) for found in values.values()])
        assert np.ptp(means, axis=0).max() < 0.1  # standard errors are about 0.02
