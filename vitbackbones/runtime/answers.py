"""The predictions of models, exported or in torch, as numpy arrays.

A graph's outputs are in pixels of its input. Here they become answers on the picture as it was
given: without padding, and in its size, by the rules of the toolboxes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError
from ..utils.packages import import_optional
from .preparing import Prepared
from .run_lengths import to_rle
from .runtimes import in_words

Outputs = Mapping[str, np.ndarray]  # of one image, by name


@dataclass(frozen=True)
class Classified:
    """Scores (classes,) of an image, which sum to 1."""

    scores: np.ndarray


@dataclass(frozen=True)
class Segmented:
    """Labels (H, W) of pixels, as integers; ``logits`` (classes, H, W) where they are asked for."""

    labels: np.ndarray
    logits: np.ndarray | None = None


@dataclass(frozen=True)
class Detected:
    """Objects (best first), panoptic segments, or both, of an image with (H, W) pixels.

    Attributes:
        boxes: (M, 4) float32 as x1, y1, x2, y2 in pixels; None without objects.
        scores: (M,) float32.
        labels: (M,) integers.
        masks: (M, H, W) in bool, of tiles a sequence of (H, W); None where there are boxes alone.
        segments: (H, W) integers in mmdet's way, see :mod:`vitbackbones.data.loading.coco_masks`;
            None where there are objects alone.
        classes: names of the classes, by their labels; None where they are not known.
        tracks: (M,) integers, equal for one object in all frames of a video, -1 for objects that
            are not followed; None where none are.
    """

    boxes: np.ndarray | None = None
    scores: np.ndarray | None = None
    labels: np.ndarray | None = None
    masks: np.ndarray | Sequence[np.ndarray] | None = None
    segments: np.ndarray | None = None
    classes: Sequence[str] | None = None
    tracks: np.ndarray | None = None

    def sure(self, least: np.ndarray) -> 'Detected':
        """Return this without objects of a lower score than the ``least`` (classes,) of theirs.

        Objects that are followed stay.
        """
        if self.scores is None:
            return self
        kept = self.scores >= least[self.labels]
        if self.tracks is not None:
            kept |= self.tracks >= 0
        names = ('boxes', 'scores', 'labels', 'masks', 'tracks')
        parts = ((name, getattr(self, name)) for name in names)
        return replace(self, **{name: x[kept] for name, x in parts if x is not None})

    def to_coco(
        self, image_id: int | str | None = None, category_ids: Sequence[int | str] | None = None
    ) -> list[dict]:
        """Return the objects as results of COCO, with masks in RLE and a ``track_id`` if followed.

        Args:
            image_id: of the image in the annotations, which ``COCO.loadRes`` requires.
            category_ids: the id of each class in the annotations; by default they are numbered
                from 1 in the order of the classes.

        Raises:
            InputError: there are segments alone.
        """
        objects = self._objects()
        place: dict[str, Any] = {} if image_id is None else {'image_id': _plain(image_id)}
        results = []
        for row, (left, top, right, bottom) in enumerate(objects.boxes.astype(float).tolist()):
            label = int(objects.labels[row])
            category = label + 1 if category_ids is None else _plain(category_ids[label])
            box = [round(value, 2) for value in (left, top, right - left, bottom - top)]
            shortest = float(str(objects.scores[row]))  # of the same float32: the order stays
            result = place | {'category_id': category, 'bbox': box, 'score': shortest}
            if self.masks is not None:
                result['segmentation'] = to_rle(self.masks[row])
            if self.tracks is not None and self.tracks[row] >= 0:
                result['track_id'] = int(self.tracks[row])
            results.append(result)
        return results

    def to_dataframe(self) -> Any:
        """Return a table of pandas (``DataFrame``) with a row for each object.

        Its columns are ``label``, ``class`` where names are known, ``score``, and the corners
        ``x1``, ``y1``, ``x2``, ``y2`` in pixels; in a video ``track``.

        Raises:
            InputError: pandas is not installed, or there are segments alone.
        """
        pandas = import_optional('pandas', 'pandas')
        objects = self._objects()
        names = {} if objects.names is None else {'class': objects.names}
        corners = dict(zip(('x1', 'y1', 'x2', 'y2'), objects.boxes.T, strict=True))
        columns = {'label': objects.labels, **names, 'score': objects.scores, **corners}
        if self.tracks is not None:
            columns['track'] = self.tracks
        return pandas.DataFrame(columns)

    def to_supervision(self) -> Any:
        """Return the objects as ``Detections`` of the package supervision.

        Their ``data`` have a ``class_name`` for each object where names are known.

        Raises:
            InputError: supervision is not installed, or there are segments alone.
        """
        supervision = import_optional('supervision', 'supervision')
        objects = self._objects()
        masks = self.masks
        if masks is not None and not isinstance(masks, np.ndarray):  # of tiles
            masks = np.stack([*masks]) if len(masks) else None
        return supervision.Detections(
            xyxy=objects.boxes,
            confidence=objects.scores,
            class_id=objects.labels.astype(int),
            mask=masks,
            tracker_id=self.tracks,
            data={} if objects.names is None else {'class_name': objects.names},
        )

    @classmethod
    def from_supervision(cls, found: Any, classes: Sequence[str] | None = None) -> 'Detected':
        """Return ``Detections`` of the package supervision as an answer, best first.

        Args:
            found: without scores, all of them are 1; without ``class_id``, all labels are 0.
            classes: names of the classes, by their labels.

        Raises:
            InputError: a label has no name, or a box or a score is not finite.
        """
        count = len(found)
        scores = np.ones(count) if found.confidence is None else found.confidence
        labels = np.zeros(count, int) if found.class_id is None else found.class_id
        order = np.argsort(-scores, kind='stable')
        answer = cls(
            boxes=found.xyxy[order].astype(np.float32),
            scores=scores[order].astype(np.float32),
            labels=labels[order],
            masks=None if found.mask is None else np.asarray(found.mask)[order].astype(bool),
            classes=classes,
            tracks=None if found.tracker_id is None else found.tracker_id[order],
        )
        require_numbers(vars(answer), 'sv.Detections')
        highest = np.inf if classes is None else len(classes) - 1
        if ((labels < 0) | (labels > highest)).any():
            raise InputError(
                f'sv.Detections: class_id must be from 0 to {highest}, not {labels.tolist()}'
            )
        return answer

    def _objects(self) -> '_Objects':
        """Return the objects.

        Raises:
            InputError: there are segments alone.
        """
        if self.boxes is None or self.scores is None or self.labels is None:
            raise InputError('the prediction has panoptic segments and no objects')
        names = None
        if self.classes is not None:  # of text also where there is no object
            names = np.array([self.classes[label] for label in self.labels], str)
        return _Objects(self.boxes, self.scores, self.labels, names)


class _Objects(NamedTuple):
    """Objects that are there; names (M,) of their classes, None where they are not known."""

    boxes: np.ndarray
    scores: np.ndarray
    labels: np.ndarray
    names: np.ndarray | None


Answer = Classified | Segmented | Detected


def with_names(answer: Answer, classes: Sequence[str]) -> Answer:
    """Return an answer whose objects know the names of their classes."""
    return replace(answer, classes=classes) if isinstance(answer, Detected) else answer


def classified(outputs: Outputs, picture: Prepared) -> Classified:
    """Return the softmax of ``logits`` (classes,)."""
    powers = np.exp((outputs['logits'] - outputs['logits'].max()).astype(np.float32))
    return Classified(powers / powers.sum())


def segmented(outputs: Outputs, picture: Prepared) -> Segmented:
    """Return the labels of ``logits`` (classes, H, W), or of the ``mask`` (H, W)."""
    if 'mask' in outputs:
        return Segmented(_nearest(_cut(outputs['mask'], picture), picture.original))
    size = picture.original
    best = np.full(size, -np.inf, np.float32)
    labels = np.zeros(size, np.int64)
    # one class after the other: all of them in the size of a photograph would fill the memory
    for label, small in enumerate(_cut(outputs['logits'], picture)):
        plane = _resized(small.astype(np.float32), size)
        better = plane > best
        best[better] = plane[better]
        labels[better] = label
    return Segmented(labels)


def detected(outputs: Outputs, picture: Prepared) -> Detected:
    """Return the objects of a graph, the segments of a panoptic one, or both.

    They are ``boxes`` (M, 4), ``scores`` (M,), ``labels`` (M,) and, where it has them, ``masks``
    (M, H, W); ``segments`` (H, W).
    """
    found: dict[str, Any] = {}
    if 'segments' in outputs:
        found['segments'] = _nearest(_cut(outputs['segments'], picture), picture.original)
    if 'boxes' not in outputs:
        return Detected(**found)
    kept = outputs['labels'] >= 0  # places without an object have label -1
    height, width = picture.resized
    old_height, old_width = picture.original
    # what was padded belongs to no object
    ends = np.array([width, height] * 2, np.float32)
    scale = np.array([width / old_width, height / old_height] * 2, np.float32)
    found['boxes'] = outputs['boxes'][kept].astype(np.float32).clip(0, ends) / scale
    found['scores'] = outputs['scores'][kept].astype(np.float32)
    found['labels'] = outputs['labels'][kept]
    if 'masks' in outputs:  # of what they cover at least half of a pixel
        inside = outputs['masks'][kept, :height, :width]
        small = (mask.astype(np.float32) for mask in inside)
        masks = [_resized(mask, picture.original) >= 0.5 for mask in small]
        found['masks'] = np.reshape(masks, (-1, old_height, old_width)).astype(bool)  # also of none
    return Detected(**found)


def _cut(maps: np.ndarray, picture: Prepared) -> np.ndarray:
    """Return maps (..., H, W) without what was padded, (..., h, w)."""
    height, width = picture.shape
    return maps[..., :height, :width]


def _nearest(labels: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """Return labels (h, w) in another size; each pixel has the label of the nearest center."""
    rows, columns = (
        np.minimum((np.arange(new) + 0.5) * old / new, old - 1).astype(int)
        for new, old in zip(size, labels.shape, strict=True)
    )
    return labels[rows][:, columns]


def _resized(plane: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """Return a map (h, w) of float32 in another size, stretched bilinearly."""
    import cv2

    return plane if plane.shape == tuple(size) else cv2.resize(plane, size[::-1])


READ: dict[str, Callable[[Outputs, Prepared], Answer]] = {
    'classification': classified,
    'segmentation': segmented,
    'detection': detected,
}


# ------------------------------------------------------------------------ what an answer is

_OBJECTS = {'boxes': 'NM4', 'scores': 'NM', 'labels': 'NM'}
_FOUND = (_OBJECTS, _OBJECTS | {'masks': 'NMHW'})
_SEGMENTS = {'segments': 'NHW'}
# By the task: the outputs that a graph may have together, and their axes. One letter stands for the
# same number in all of them.
FORMS: dict[str, tuple[dict[str, str], ...]] = {
    'classification': ({'logits': 'NC'},),
    'segmentation': ({'logits': 'NCHW'}, {'mask': 'NHW'}),
    'detection': (*_FOUND, _SEGMENTS, *(each | _SEGMENTS for each in _FOUND)),
}


def require_form(
    task: str, shapes: Mapping[str, Sequence[int | None]], place: str, images: int | None = None
) -> None:
    """Check that named outputs with these shapes are a prediction of a task for ``images``.

    Raises:
        InputError: they are not; the message begins with ``place``.
    """
    axes = {name: len(shape) for name, shape in shapes.items()}
    for form in FORMS[task]:
        if axes != {name: len(letters) for name, letters in form.items()}:
            continue
        sizes = {'4': 4} | ({'N': images} if images else {})  # by the letter of an axis
        pairs = (pair for name in form for pair in zip(form[name], shapes[name], strict=True))
        if all(size is None or size == sizes.setdefault(axis, size) for axis, size in pairs):
            return
    given = ', '.join(f'{name} ({in_words(shape)})' for name, shape in shapes.items())
    raise InputError(f'{place}: {given or "no outputs"} cannot be a prediction for {task}')


def require_numbers(values: Mapping[str, Any], place: str) -> None:
    """Check that named float outputs of a model are finite.

    Raises:
        InputError: they are not; the message begins with ``place``.
    """
    for name, found in values.items():
        is_float = isinstance(found, np.ndarray) and found.dtype.kind == 'f'
        if is_float and not np.isfinite(found).all():
            raise InputError(
                f'{place}: {name} contain NaN or infinite values; the weights are damaged, or '
                'the model cannot run in half precision'
            )


def require_names(answer: Answer, classes: Sequence[str], place: str) -> None:
    """Check that the labels of a prediction have names; void segments require none.

    Raises:
        InputError: one has no name; the message begins with ``place``.
    """
    labels = np.arange(len(answer.scores)) if isinstance(answer, Classified) else answer.labels
    if labels is None or not labels.size:
        return
    for label in (labels.min(), labels.max()):
        if not 0 <= label < len(classes):
            raise InputError(
                f'{place}: predicts the label {label}, but its metadata file lists '
                f'{len(classes)} classes'
            )


def _plain(key: Any) -> int | str:
    """Return an id as JSON takes it; those of a table are NumPy's integers."""
    return int(key) if isinstance(key, np.integer) else key
