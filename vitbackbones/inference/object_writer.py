"""What ``predict`` writes of a detector: boxes, masks and segments, in COCO's formats.

``predictions.json``
    COCO results, all of them: ``image_id``, ``category_id``, ``bbox`` (x, y, width, height in
    pixels), ``score``, ``file_name``, and the ``segmentation`` of models with masks: compressed
    RLE, or polygons with ``--masks polygons``.
``images.json``
    what the numbers mean, in COCO's format: ``COCO('images.json').loadRes('predictions.json')``
    reads both. Categories are numbered from 1 in the order of the classes.
``panoptic.json``
    COCO's panoptic results, of models with panoptic segments: the ``segments_info`` of each PNG
    file in ``panoptic/``. Without objects beside them there is no ``predictions.json``.
"""

from collections.abc import Sequence

import numpy as np
from PIL import Image

from ..data.loading.coco_masks import to_polygons, to_rle
from ..data.loading.panoptic import from_mmdet, to_colors
from ..export.runtime.answers import Detected
from .drawing.boxes import draw_objects
from .drawing.objects import predicted
from .drawing.sheet import from_bgr, save
from .sources import Frame
from .writers import PredictionWriter


class ObjectWriter(PredictionWriter):
    """Objects and panoptic segments, whichever of them the model gives."""

    def read(self, frame: Frame, answer: Detected) -> tuple[dict, Image.Image]:
        height, width = frame.pixels.shape[:2]
        record = frame.place | {'width': width, 'height': height}
        if answer.boxes is not None:
            record['objects'] = self._objects(answer)
        if answer.segments is not None:
            record |= self._segments(frame, answer.segments)
        drawn = predicted(answer, len(self.classes), self.threshold)
        return record, draw_objects(from_bgr(frame.pixels), drawn, self.classes)

    def _objects(self, found: Detected) -> list[dict]:
        objects = []
        boxes = found.boxes.astype(float).tolist()
        for (x, y, right, bottom), label, score in zip(
            boxes, found.labels, found.scores, strict=True
        ):
            box = [round(value, 2) for value in (x, y, right - x, bottom - y)]
            shortest = float(str(score))  # of the same float32: the order stays
            objects.append({'category_id': int(label) + 1, 'bbox': box, 'score': shortest})
        for entry, mask in zip(objects, () if found.masks is None else found.masks, strict=False):
            entry['segmentation'] = self._segmentation(mask)
        return objects

    def _segmentation(self, mask: np.ndarray) -> list | dict:
        """Return a mask (H, W) in the form asked for; an empty one has RLE alone."""
        return (self.masks == 'polygons' and to_polygons(mask)) or to_rle(mask)

    def _segments(self, frame: Frame, found: np.ndarray) -> dict:
        """Write the PNG file of the segments found, (H, W) in mmdet's way; return its entry."""
        ids, labels, are_things = from_mmdet(found, len(self.classes))
        save(Image.fromarray(to_colors(ids)), self.out / 'panoptic' / frame.png)
        areas = np.bincount(ids.ravel(), minlength=len(labels) + 1).tolist()
        infos = [
            {'id': i, 'category_id': label + 1, 'isthing': int(is_thing), 'area': areas[i]}
            for i, (label, is_thing) in enumerate(zip(labels, are_things, strict=True), start=1)
        ]
        return {'panoptic': frame.png, 'segments_info': infos}

    def documents(self, records: Sequence[dict]) -> dict[str, list | dict]:
        images, objects, segments = [], [], []
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
        return files
