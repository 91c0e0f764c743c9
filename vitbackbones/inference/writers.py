"""Write the predictions of ``predict``: JSON files, visualizations and masks.

The JSON files are made at the end from ``predictions.jsonl``, which has one line for each image; a
detector's holds all ``objects`` of it. An entry of a video has the number of its ``frame``.
"""

import json
import os
from base64 import b64encode
from collections import defaultdict
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import ArrayLike
from PIL import Image

from ..data.loading.coco_masks import from_mmdet, to_colors, to_polygons
from ..data.sources import Frame, can_be_opened
from ..drawing.objects import predicted
from ..drawing.predictions import draw_objects, legend, overlay
from ..drawing.sheet import GAP, LINE, PALETTE, below, enlarged, from_bgr, save, text_label
from ..errors import InputError
from ..runtime.answers import Answer, Classified, Detected, Segmented
from ..utils.files import PART, write_file

BEST = 5  # classes named of an image
VIDEO_LEGEND = 3 * (LINE + GAP)  # pixels below a frame: all frames have one size
MOST_TICKS = 65535  # of the clock of MPEG-4 in a second


def in_lines(content: list | dict) -> str:
    """Return JSON with a line for each entry of a list.

    With ``indent``, ``json`` would not use its encoder in C, which takes half the time.

    >>> print(in_lines({'images': [{'id': 1}, {'id': 2}], 'annotations': []}))
    {"images": [
    {"id": 1},
    {"id": 2}
    ],
    "annotations": []}
    """
    if isinstance(content, dict):
        parts = [f'{json.dumps(key)}: {in_lines(value)}' for key, value in content.items()]
        return '{' + ',\n'.join(parts) + '}'
    entries = ',\n'.join(map(json.dumps, content))
    return f'[\n{entries}\n]' if content else '[]'


class PredictionWriter:
    """Collects the predictions of one task, and writes the JSON files.

    Args:
        out: the folder of the results; None to write nothing and have masks in the lines.
        meta: ``classes``, and ``palette`` where one is known.
        threshold: least score of an object that is drawn, one for all or for each class (C,).
        masks: the form of an object's mask, ``'rle'`` or ``'polygons'``.

    Attributes:
        drawn: number of objects in all pictures, None without a picture of objects.
    """

    drawn: int | None = None

    def __init__(
        self, out: Path | None, meta: dict, threshold: ArrayLike, masks: str = 'rle'
    ) -> None:
        self.out = out
        self.classes = meta['classes']
        self.palette = meta.get('palette') or PALETTE * (len(self.classes) // len(PALETTE) + 1)
        self.threshold = threshold
        self.masks = masks

    def record(self, frame: Frame, answer: Answer) -> dict:
        """Return the line of a frame's predictions; write its masks, which have no room in it."""
        raise NotImplementedError

    def keep(self, image: Image.Image, name: str) -> str:
        """Save a mask under its name in ``out`` and return the name; without ``out``, its address.

        The address holds the PNG file itself (``data:image/png;base64,...``).
        """
        if self.out is not None:
            save(image, self.out / name)
            return name
        content = BytesIO()
        image.save(content, 'PNG')
        return f'data:image/png;base64,{b64encode(content.getvalue()).decode()}'

    def draw(self, frame: Frame, answer: Answer) -> Image.Image:
        """Return a picture of a frame's predictions."""
        raise NotImplementedError

    def documents(self, records: Sequence[dict]) -> dict[str, list | dict | str]:
        """Return the content of each file, by its name, from the records of all frames."""
        return {'predictions.json': list(records)}

    def write(self, records: Sequence[dict]) -> list[str]:
        """Write the JSON files and return their names."""
        documents = self.documents(records)
        for name, content in documents.items():
            text = content if isinstance(content, str) else in_lines(content)
            (self.out / name).parent.mkdir(parents=True, exist_ok=True)
            write_file(self.out / name, text.encode())
        return list(documents)


class MaskWriter(PredictionWriter):
    """Index masks of the size of the image, as PNG files with the classes' colors.

    Raises:
        InputError: more classes than a PNG file with a palette can number, or than have a color.
    """

    def __init__(
        self, out: Path | None, meta: dict, threshold: ArrayLike, masks: str = 'rle'
    ) -> None:
        super().__init__(out, meta, threshold, masks)
        if len(self.classes) > 255:
            raise InputError(f'{len(self.classes)} classes do not fit into 8-bit masks')
        if len(self.palette) < len(self.classes):
            raise InputError(
                f'the palette has {len(self.palette)} colors for {len(self.classes)} classes'
            )
        self.palette = self.palette[:256]  # of a PNG file

    def record(self, frame: Frame, answer: Segmented) -> dict:
        labels = answer.labels.astype(np.uint8)  # (H, W)
        mask = Image.fromarray(labels)
        mask.putpalette(np.array(self.palette, np.uint8).tobytes())
        name = self.keep(mask, f'masks/{frame.png}')
        shares = np.bincount(labels.ravel(), minlength=len(self.classes)) / labels.size
        seen = {self.classes[i]: round(shares[i], 5) for i in np.flatnonzero(shares)}
        return frame.place | {'mask': name, 'classes': seen}

    def draw(self, frame: Frame, answer: Segmented) -> Image.Image:
        labels = answer.labels.astype(np.uint8)
        picture = overlay(from_bgr(frame.pixels), labels, self.palette)
        names = legend(labels, self.classes, self.palette, picture.width)
        return below(picture, names, height=None if frame.number is None else VIDEO_LEGEND)


class ScoreWriter(PredictionWriter):
    """The best classes of an image."""

    def record(self, frame: Frame, answer: Classified) -> dict:
        scores = answer.scores  # (classes,)
        best = [
            {'label': int(i), 'class': self.classes[i], 'score': round(float(scores[i]), 5)}
            for i in np.argsort(-scores)[:BEST]
        ]
        return frame.place | {'best': best}

    def draw(self, frame: Frame, answer: Classified) -> Image.Image:
        picture = enlarged(from_bgr(frame.pixels))
        for row, entry in enumerate(self.record(frame, answer)['best']):
            text = f'{entry["class"]} {entry["score"]:.2f}'
            picture.paste(text_label(text, PALETTE[0]), (0, row * LINE))
        return picture


class ObjectWriter(PredictionWriter):
    """Objects and panoptic segments, whichever of them the model gives, in COCO's formats.

    ``COCO('images.json').loadRes('predictions.json')`` reads the objects; their ``segmentation`` is
    compressed RLE, or polygons with ``--masks polygons``. Categories are numbered from 1 in the
    order of the classes. ``panoptic.json`` has the ``segments_info`` of each PNG file in
    ``panoptic/``; without objects beside them there is no ``predictions.json``.
    """

    def record(self, frame: Frame, answer: Detected) -> dict:
        height, width = frame.pixels.shape[:2]
        record = frame.place | {'width': width, 'height': height}
        if answer.boxes is not None:
            record['objects'] = objects = answer.to_coco()
            is_outlined = answer.masks is not None and self.masks == 'polygons'
            for entry, mask in zip(objects, answer.masks if is_outlined else (), strict=False):
                entry['segmentation'] = to_polygons(mask) or entry['segmentation']  # if it is empty
        if answer.segments is not None:
            # (H, W) in mmdet's way
            ids, labels, are_things = from_mmdet(answer.segments, len(self.classes))
            name = self.keep(Image.fromarray(to_colors(ids)), f'panoptic/{frame.png}')
            areas = np.bincount(ids.ravel(), minlength=len(labels) + 1).tolist()
            record['panoptic'] = name.removeprefix('panoptic/')
            record['segments_info'] = [
                {'id': i, 'category_id': label + 1, 'isthing': int(is_thing), 'area': areas[i]}
                for i, (label, is_thing) in enumerate(zip(labels, are_things, strict=True), start=1)
            ]
        return record

    def draw(self, frame: Frame, answer: Detected) -> Image.Image:
        drawn = predicted(answer, len(self.classes), self.threshold)
        self.drawn = (self.drawn or 0) + len(drawn.boxes)
        return draw_objects(from_bgr(frame.pixels), drawn, self.classes)

    def documents(self, records: Sequence[dict]) -> dict[str, list | dict | str]:
        images = []
        objects = []
        segments = []
        for number, record in enumerate(records, start=1):
            place = {key: record[key] for key in ('file_name', 'frame') if key in record}
            size = {key: record[key] for key in ('width', 'height')}
            images.append({'id': number} | place | size)
            objects += [{'image_id': number} | e | place for e in record.get('objects', ())]
            if 'panoptic' in record:
                entry = {'image_id': number, 'file_name': record['panoptic']}
                segments.append(entry | {'segments_info': record['segments_info']})
        categories = [{'id': i, 'name': name} for i, name in enumerate(self.classes, start=1)]
        about = {'images': images, 'categories': categories}
        files = {'images.json': about | {'annotations': []}}
        if segments:
            files['panoptic.json'] = about | {'annotations': segments}
        if any('objects' in record for record in records) or not segments:
            files['predictions.json'] = objects
        return files | _tracks(objects)


def _tracks(objects: Sequence[dict]) -> dict[str, str]:
    """Return the tracks of each video as a text of MOT Challenge, by the name of its file.

    Its lines are frame from 1, track, left, top, width, height, score, -1, -1, -1.
    """
    lines: dict[str, list[str]] = defaultdict(list)
    for each in objects:
        if 'track_id' not in each:
            continue
        values = [each['frame'] + 1, each['track_id'], *each['bbox'], each['score'], -1, -1, -1]
        lines[each['file_name']].append(','.join(map(str, values)))
    return {f'tracks/{name}.txt': '\n'.join([*rows, '']) for name, rows in lines.items()}


class PictureWriter:
    """Writes visualizations: JPEG files, and MP4 files for videos, one at a time.

    A video has another name until it is complete.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._video: cv2.VideoWriter | None = None
        self._path: Path | None = None

    def add(self, frame: Frame, picture: Image.Image) -> None:
        """Save the picture of an image, or append that of a frame to its video."""
        if frame.number is None:
            save(picture, self.folder / f'{frame.source.name}.jpg')
            return
        path = self.folder / f'{frame.source.name}.mp4'
        if path != self._path:
            self.end_video()
            path.parent.mkdir(parents=True, exist_ok=True)
            codec = cv2.VideoWriter.fourcc(*'mp4v')
            self._path = path
            self._size = tuple(side // 2 * 2 for side in picture.size)  # even, for codecs
            if not can_be_opened(path):
                raise InputError(f'{path}: is not UTF-8, so OpenCV cannot write a video there')
            rate = writable_rate(frame.rate)
            self._video = cv2.VideoWriter(str(_part(path)), codec, rate, self._size)
            if not self._video.isOpened():
                raise InputError(f'{path}: OpenCV cannot write MP4 videos here')
        pixels = np.asarray(picture.resize(self._size))
        self._video.write(cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR))

    def end_video(self) -> None:
        """Complete the open video, and give it its name."""
        if self._video is not None:
            self._video.release()
            os.replace(_part(self._path), self._path)
        self._video = self._path = None

    def close(self) -> None:
        """Remove a video that was not completed."""
        if self._video is not None:
            self._video.release()
            _part(self._path).unlink(missing_ok=True)
        self._video = self._path = None


def writable_rate(rate: float) -> float:
    """Return the nearest number of frames per second that a video of MPEG-4 can have.

    OpenCV writes it as a fraction whose denominator is a power of ten, up to a thousand.

    >>> writable_rate(29.97), writable_rate(119.983), writable_rate(1200.25)
    (29.97, 119.98, 1200.2)
    """
    digits = next(n for n in (3, 2, 1, 0) if rate * 10**n <= MOST_TICKS)
    return round(rate, digits)


def _part(path: Path) -> Path:
    return path.with_suffix(f'{PART}{path.suffix}')
