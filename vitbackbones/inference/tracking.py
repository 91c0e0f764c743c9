"""The objects of a video from frame to frame, numbered by ByteTrack of the package trackers.

ByteTrack (Zhang et al., 2022) predicts where each object goes, and joins it to the box that it
overlaps most: first to sure boxes, then to those of lower scores, such as of objects that are half
hidden. Classes do not count: an object whose class flickers keeps its number.
"""

from collections.abc import Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np

from ..data.sources import Frame, Source
from ..errors import InputError
from ..runtime.answers import Detected
from ..utils.packages import import_optional

SAME = 0.6  # overlap, from which on two boxes show one object, whatever their classes
UNSURE = 0.35  # of the least score of a class, from which on a box continues a track


def require_trackable(task: str, sources: Sequence[Source]) -> None:
    """Check that objects can be followed in files.

    Raises:
        InputError: the model finds no objects, a file is no video, or a package is not installed.
    """
    if task != 'detection':
        raise InputError(f'--track: follows the objects of a detector; this model is for {task}')
    for source in sources:
        if not source.is_video:
            raise InputError(
                f'--track: follows objects in videos, and {source.path} is an image. Make a video '
                "of the images, such as with: ffmpeg -i '%06d.jpg' video.mp4"
            )
    _package()


def _package() -> ModuleType:
    return import_optional('trackers', 'trackers')


class Tracking:
    """Follows the objects of one video after the other.

    Args:
        least: score of each class (C,), from which on an object is sure.
    """

    def __init__(self, least: np.ndarray) -> None:
        self.least = least
        self.video = ''
        self.tracker: Any = None

    def follow(self, frame: Frame, answer: Detected) -> Detected:
        """Return the objects of the next frame with ``tracks``, which begin at 1 in each video.

        Raises:
            InputError: there are segments alone.
        """
        if frame.source.name != self.video:
            self.video = frame.source.name
            self.tracker = _package().ByteTrackTracker(
                frame_rate=frame.rate, high_conf_det_threshold=0.5, track_activation_threshold=0.5
            )
        found = replace(answer, masks=None).to_supervision()
        found.data['row'] = np.arange(len(found))
        least = self.least[answer.labels]
        found = found[answer.scores >= UNSURE * least].with_nms(SAME, class_agnostic=True)
        rows = found.data['row']
        found.confidence = (answer.scores >= least)[rows].astype(np.float32)
        followed = self.tracker.update(found)
        tracks = np.full(len(answer.labels), -1)
        tracks[followed.data.get('row', [])] = followed.tracker_id
        return replace(answer, tracks=np.where(tracks < 0, -1, tracks + 1))
