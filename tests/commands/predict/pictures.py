"""Pictures and videos to predict on, and what a prediction leaves."""

from pathlib import Path

import cv2
import numpy as np

TASKS = ('det', 'seg', 'cls')
STILLS = ('cmyk.jpg', 'deep.png', 'exif.jpg', 'gray.png', 'rgb.png', 'rgba.png', 'sub/rgb.png')
HEIGHT, WIDTH, FRAMES = 60, 80, 7


def film(path, frames):
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*'MJPG'), 10, (WIDTH, HEIGHT))
    for i in range(frames):
        writer.write(np.roll(picture(), 5 * i, axis=1))
    writer.release()


def picture():
    noise = np.random.default_rng(1).integers(0, 256, (6, 8, 3), dtype=np.uint8)
    return cv2.resize(noise, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)


def written(out='out'):
    """What a prediction leaves, but for its lock."""
    files = (path for path in sorted(Path(out).rglob('*')) if path.is_file())
    return {path.relative_to(out): path.read_bytes() for path in files if path.name != '.lock'}


def throw(error):
    raise error
