"""What ``tools/predict.py`` writes of a model's answers: JSON files, pictures, masks.

=============  ==============================================================================
task           ``predictions.json``
=============  ==============================================================================
detection      COCO results, all of them: ``image_id``, ``category_id``, ``bbox`` (x, y, width,
               height in pixels), ``score``, ``file_name``. ``images.json`` beside it says what
               the numbers mean, in COCO's format: ``COCO('images.json').loadRes(...)`` reads both
segmentation   for each image the file of its index mask, and the share of each class in it
classification for each image the five best classes and their scores
=============  ==============================================================================

An entry of a video has the number of its ``frame``. These files are made at the end from
``predictions.jsonl``, which has one line for each image; a detector's holds all ``objects`` of it.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw

from ..drawing.boxes import (
    FONT_SIZE,
    GAP,
    PALETTE,
    Objects,
    draw_objects,
    enlarged,
    font,
    save,
    write_on,
)
from ..drawing.masks import legend, overlay
from ..errors import InputError
from ..files import write_file
from .sources import Shot

BEST = 5  # classes named of an image
VIDEO_LEGEND = 3 * (FONT_SIZE + 5 + GAP)  # pixels below a frame: all frames have one size


def _where(shot: Shot) -> dict:
    return {'file_name': shot.source.name} | ({} if shot.frame is None else {'frame': shot.frame})


def _image(shot: Shot) -> Image.Image:
    return Image.fromarray(np.ascontiguousarray(shot.pixels[..., ::-1]))  # BGR to RGB


class Answers:
    """Reads one task's data samples, and writes the JSON files.

    Args:
        out: the folder of the results.
        meta: ``classes``, and ``palette`` where one is known.
        threshold: least score of an object that is drawn.
    """

    def __init__(self, out: Path, meta: dict, threshold: float) -> None:
        self.out = out
        self.classes = meta['classes']
        self.palette = meta.get('palette') or PALETTE * (len(self.classes) // len(PALETTE) + 1)
        self.threshold = threshold

    def read(self, shot: Shot, answer) -> tuple[dict, Image.Image]:
        """Put the answer to a shot in a record, and draw it."""
        raise NotImplementedError

    def documents(self, records: Sequence[dict]) -> dict[str, list | dict]:
        """Name the JSON files, and say what is in them, from the records of all shots."""
        return {'predictions.json': list(records)}

    def write(self, records: Sequence[dict]) -> None:
        """Write the JSON files."""
        for name, content in self.documents(records).items():
            write_file(self.out / name, json.dumps(content, indent=1).encode())


class Detections(Answers):
    """Boxes, as COCO results; categories are numbered from 1 in the order of the classes."""

    def read(self, shot: Shot, answer) -> tuple[dict, Image.Image]:
        found = answer.pred_instances
        boxes, scores = found.bboxes.double().numpy(), found.scores.double().numpy()
        labels, seen = found.labels.numpy(), []
        for (x, y, right, bottom), label, score in zip(boxes, labels, scores, strict=True):
            box = [round(value, 2) for value in (x, y, right - x, bottom - y)]
            seen.append({'category_id': int(label) + 1, 'bbox': box, 'score': round(score, 5)})
        height, width = shot.pixels.shape[:2]
        record = _where(shot) | {'width': width, 'height': height, 'objects': seen}
        drawn = scores >= self.threshold
        objects = Objects(boxes[drawn], labels[drawn], scores[drawn])
        return record, draw_objects(_image(shot), objects, self.classes)

    def documents(self, records: Sequence[dict]) -> dict[str, list | dict]:
        images, results = [], []
        for number, record in enumerate(records, start=1):
            where = {key: record[key] for key in ('file_name', 'frame') if key in record}
            size = {key: record[key] for key in ('width', 'height')}
            images.append({'id': number} | where | size)
            results += [{'image_id': number} | found | where for found in record['objects']]
        categories = [{'id': i, 'name': name} for i, name in enumerate(self.classes, start=1)]
        content = {'images': images, 'categories': categories, 'annotations': []}
        return {'predictions.json': results, 'images.json': content}


class Masks(Answers):
    """Index masks of the size of the image, as PNG files with the classes' colours.

    Raises:
        InputError: more classes than a PNG file with a palette can number.
    """

    def __init__(self, *arguments) -> None:
        super().__init__(*arguments)
        if len(self.classes) > 255:
            raise InputError(f'{len(self.classes)} classes do not fit into 8-bit masks')

    def read(self, shot: Shot, answer) -> tuple[dict, Image.Image]:
        labels = answer.pred_sem_seg.data[0].numpy().astype(np.uint8)
        still = shot.frame is None
        name = f'masks/{shot.source.name}' + ('.png' if still else f'/{shot.frame:06d}.png')
        mask = Image.fromarray(labels)
        mask.putpalette(np.array(self.palette, np.uint8).tobytes())
        save(mask, self.out / name)
        shares = np.bincount(labels.ravel(), minlength=len(self.classes)) / labels.size
        seen = {self.classes[i]: round(shares[i], 5) for i in np.flatnonzero(shares)}
        record = _where(shot) | {'mask': name, 'classes': seen}
        return record, self._draw(_image(shot), labels, None if still else VIDEO_LEGEND)

    def _draw(self, image: Image.Image, labels: np.ndarray, below: int | None) -> Image.Image:
        """Name the classes below the image, in ``below`` pixels or as many as they need."""
        picture = overlay(image, labels, self.palette)
        names = legend(labels, self.classes, self.palette, picture.width)
        height = picture.height + (below or names.height)
        whole = Image.new('RGB', (picture.width, height), 'white')
        whole.paste(picture)
        whole.paste(names, (0, picture.height))
        return whole


class Scores(Answers):
    """The best classes of an image."""

    def read(self, shot: Shot, answer) -> tuple[dict, Image.Image]:
        scores = answer.pred_score.float().numpy()
        best = [
            {'label': int(i), 'class': self.classes[i], 'score': round(float(scores[i]), 5)}
            for i in np.argsort(-scores)[:BEST]
        ]
        return _where(shot) | {'best': best}, self._draw(_image(shot), best)

    def _draw(self, image: Image.Image, best: Sequence[dict]) -> Image.Image:
        picture = enlarged(image)
        draw, height = ImageDraw.Draw(picture), FONT_SIZE + 5
        for row, entry in enumerate(best):
            text = f'{entry["class"]} {entry["score"]:.2f}'
            box = (0, row * height, font().getlength(text) + 6, (row + 1) * height)
            write_on(draw, box, text, PALETTE[0])
        return picture


# By the default scope of a config.
TASKS: dict[str, type[Answers]] = {'mmdet': Detections, 'mmseg': Masks, 'mmpretrain': Scores}


class Gallery:
    """The drawn pictures: JPEG files, and MP4 files of videos. One video is open at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._video: cv2.VideoWriter | None = None
        self._path: Path | None = None

    def add(self, shot: Shot, picture: Image.Image) -> None:
        """Save the picture of a shot, or append it to its video."""
        if shot.frame is None:
            save(picture, self.folder / f'{shot.source.name}.jpg')
            return
        path = self.folder / f'{shot.source.name}.mp4'
        if path != self._path:
            self._open(path, shot.rate, picture.size)
        frame = np.asarray(picture.resize(self._size))
        self._video.write(np.ascontiguousarray(frame[..., ::-1]))  # RGB to BGR

    def _open(self, path: Path, rate: float, size: tuple[int, int]) -> None:
        self.close()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path, self._size = path, tuple(side // 2 * 2 for side in size)  # even, for codecs
        self._video = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*'mp4v'), rate, self._size)
        if not self._video.isOpened():
            raise InputError(f'{path}: OpenCV cannot write MP4 videos here')

    def close(self) -> None:
        """Complete the open video."""
        if self._video is not None:
            self._video.release()
        self._video = self._path = None
