"""What a report says of a detector: for boxes, and for masks where they are evaluated."""

import heapq
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from mmengine.runner import TestLoop
from PIL import Image, ImageDraw

from ..analysis.plots import label, new_figure, style_of
from ..data.loading.coco_masks import to_mask
from ..data.loading.image_file import read_shown
from ..drawing.predictions import shade, write_labels
from ..drawing.sheet import enlarged, from_bgr, side_by_side
from ..errors import printable
from ..runtime.card import Threshold
from . import coco
from .page import Matrix, Picture, Section, confusion_parts, drawing, photograph
from .recording import find_metric
from .thresholds import Promise, Scores

KINDS = {'bbox': 'boxes', 'segm': 'masks'}
PANELS = {'AP50': 'IoU 0.50', 'AP': 'mean over IoU thresholds'}
COUNTED = (
    'Rows: ground truth; columns: predictions. Detections with a score of at least {score:g} '
    'are matched in order of their scores: each to the free object that it overlaps most (IoU '
    f'at least {coco.IOU}). Objects without a match are in the last column, and detections '
    'without a match in the last row. Detections in crowd regions are ignored.'
)
WORST = (
    'Images with the most missed objects and false detections, which have thick orange outlines '
    'and a label. An object that is detected as another class counts as both.'
)


class DetectionReport:
    """Reads what the COCO metric of a test is based on, which is made to keep its detections.

    The arguments are those of ``Task.report``. Of several datasets it is about the first.

    Raises:
        InputError: no metric of the test is a ``CocoMetric``.
    """

    def __init__(self, loop: TestLoop, worst: int, score: float | None) -> None:
        from mmdet.evaluation import CocoMetric  # here: heavy, and only detectors need it

        data = loop.dataloader.dataset
        self.data, *_ = getattr(data, 'datasets', [data])
        self.worst = worst
        self.score = score
        self.found: Scores | None = None
        self.metric = find_metric(loop, CocoMetric)
        self.folder = tempfile.TemporaryDirectory()
        self.metric.outfile_prefix = self.metric.outfile_prefix or f'{self.folder.name}/found'
        self.curves = coco.keep_curves(self.metric)

    def sections(self) -> Iterator[Section]:
        """Yield the sections of each kind, after the test."""
        for kind, title in KINDS.items():
            if kind not in self.metric.metrics:
                continue
            # a metric that evaluates in several processes keeps none
            evaluation = self.curves.get(kind) or coco.evaluate(self.metric, kind)
            ids = coco.class_names(evaluation)
            names = [*ids.values()]
            at_one = {'iouThrs': [coco.IOU], **coco.WHOLE}
            found = Scores(coco.evaluate(self.metric, kind, **at_one), names, self.where())
            self.found = self.found or found
            score = (found.chosen or Threshold()).score if self.score is None else self.score
            pairs = coco.match(self.metric, kind, score)
            counts = coco.count_matches(pairs, [*ids])
            sides = {'rows': [*names, '(nothing)'], 'columns': [*names, '(missed)']}
            matrix = Matrix(**sides, counts=counts, text=COUNTED.format(score=score))
            panels = {text: coco.precisions(evaluation, name) for name, text in PANELS.items()}
            curves = draw_curves(panels, evaluation.params.recThrs, names)
            yield Section(f'Classes: {title}', [coco.class_table(evaluation, counts, score)])
            yield Section(f'Score threshold: {title}', found.parts())
            yield Section(f'Precision and recall: {title}', [curves])
            yield Section(f'Confusion: {title}', confusion_parts(matrix, 'objects'))
            yield Section(f'Worst images: {title}', [*self._worst(pairs, ids, kind)], WORST)
        self.folder.cleanup()

    @property
    def chosen(self) -> Threshold | None:
        """The threshold of the first kind, after the sections; None where none was chosen."""
        return self.found.chosen if self.found else None

    def keep(self, promise: Promise) -> list[str]:
        """Choose scores that keep a promise, see :meth:`.thresholds.Scores.keep`."""
        return self.found.keep(promise) if self.found else []

    def where(self) -> str:
        """Return which pictures are evaluated."""
        file = Path(getattr(self.data, 'ann_file', '')).name or 'the test'
        return f'{len(self.data)} images of {file}'

    def _worst(self, pairs: dict, names: dict[int, str], kind: str) -> Iterator[Picture]:
        """Draw the worst pictures that the model has seen; the dataset may be a part of all."""
        infos = (self.data.get_data_info(i) for i in range(len(self.data)))
        paths = {info['img_id']: info['img_path'] for info in infos}
        mistakes = {image: count_mistakes(pairs.get(image, ())) for image in paths}
        for image in heapq.nlargest(self.worst, mistakes, key=lambda image: sum(mistakes[image])):
            missed, false = mistakes[image]
            if missed or false:
                picture = from_bgr(read_shown(paths[image]))
                drawn = draw_mistakes(picture, pairs[image], names, kind)
                title = f'{Path(paths[image]).name}: {missed} missed, {false} false'
                yield photograph(drawn, title)


# ------------------------------------------------------------------------ precision over recall

NAMED = 7  # classes with a style of their own; of more, the worst
STEP = 12  # markers stand at every twelfth recall


def draw_curves(
    panels: Mapping[str, np.ndarray], recalls: np.ndarray, classes: Sequence[str]
) -> Picture:
    """Draw precisions (C, R) by title, NaN for a class without objects, over recalls (R,)."""
    figure, axes = new_figure(1, len(panels), (4.6, 4.0))
    for (title, lines), panel in zip(panels.items(), axes[0], strict=True):
        means = lines.mean(1)
        known = np.flatnonzero(~np.isnan(means))
        worst = sorted(known[np.argsort(means[known], kind='stable')[:NAMED]])
        for i in {*known} - {*worst}:
            panel.plot(recalls, lines[i], color='0.75', linewidth=0.6)
        for number, i in enumerate(worst):
            name = classes[i] if len(classes[i]) <= 24 else f'{classes[i][:23]}…'
            text = printable(f'{means[i]:.3f}  {name}').replace('$', r'\$')  # no formula
            panel.plot(recalls, lines[i], label=text, markevery=STEP, **style_of(number))
        if len(known):
            text = f'{means[known].mean():.3f}  mean'
            panel.plot(recalls, lines[known].mean(0), 'k', linewidth=2.5, label=text)
            panel.legend(fontsize=8, framealpha=0.8)
        panel.set(xlim=(0, 1), ylim=(0, 1.02))
        panel.grid(alpha=0.3)
        label(panel, title, 'recall', 'precision')
    return drawing(figure, 'precision over recall')


# ------------------------------------------------------------------------ the worst pictures
# What is right has a thin blue outline. A mistake has a thick one, in orange, and says what it is,
# so that color is never the only sign.

# of Okabe and Ito's colors
RIGHT = (0, 114, 178)
WRONG = (213, 94, 0)


class Note(NamedTuple):
    """An annotation or detection, the text at it, and its color."""

    ann: dict
    text: str
    color: tuple[int, int, int]


def count_mistakes(pairs: Sequence[coco.Pair]) -> tuple[int, int]:
    """Return how many objects are missed and how many detections false; a confusion is both."""
    wrong = [pair for pair in pairs if not _is_right(pair)]
    return sum(pair.gt is not None for pair in wrong), sum(pair.pred is not None for pair in wrong)


def _is_right(pair: coco.Pair) -> bool:
    gt, pred = pair
    return bool(gt and pred and gt['category_id'] == pred['category_id'])


def draw_mistakes(
    image: Image.Image, pairs: Sequence[coco.Pair], names: Mapping[int, str], kind: str
) -> Image.Image:
    """Draw the objects of a picture beside its detections; masks where ``kind`` is ``'segm'``."""
    gt_notes = []
    pred_notes = []
    for pair in pairs:
        gt, pred = pair
        color = RIGHT if _is_right(pair) else WRONG
        if gt is None:
            pred_notes.append(Note(pred, f'false: {_scored(pred, names)}', color))
        elif pred is None:
            gt_notes.append(Note(gt, f'missed: {names[gt["category_id"]]}', color))
        else:
            gt_name = names[gt['category_id']]
            taken = '' if color == RIGHT else f', detected as {names[pred["category_id"]]}'
            actual = '' if color == RIGHT else f', is {gt_name}'
            gt_notes.append(Note(gt, f'{gt_name}{taken}', color))
            pred_notes.append(Note(pred, f'{_scored(pred, names)}{actual}', color))
    panels = [('ground truth', gt_notes), ('prediction', pred_notes)]
    return side_by_side([(title, draw_notes(image, notes, kind)) for title, notes in panels])


def _scored(pred: dict, names: Mapping[int, str]) -> str:
    return f'{names[pred["category_id"]]} {pred["score"]:.2f}'


def draw_notes(image: Image.Image, notes: Sequence[Note], kind: str) -> Image.Image:
    """Draw annotations on a copy of a picture; masks where ``kind`` is ``'segm'``."""
    picture = enlarged(image)
    colors = [note.color for note in notes]
    boxes = np.array([note.ann['bbox'] for note in notes], float).reshape(-1, 4)
    boxes[:, 2:] += boxes[:, :2]  # width and height -> the other corner
    boxes = np.sort(boxes.reshape(-1, 2, 2), axis=1).reshape(-1, 4)  # sides may be below 0
    boxes *= max(picture.size) / max(image.size)
    if kind == 'segm' and notes:
        regions = [to_mask(note.ann['segmentation'], *image.size[::-1]) for note in notes]
        picture = shade(picture, np.stack(regions), colors)
    draw = ImageDraw.Draw(picture)
    for box, color in zip(boxes, colors, strict=True):
        draw.rectangle(tuple(box), outline=color, width=2 if color == RIGHT else 4)
    texts = [note.text for note in notes if note.text]
    named = [row for row, note in enumerate(notes) if note.text]
    write_labels(picture, boxes[named], texts, [colors[row] for row in named])
    return picture
