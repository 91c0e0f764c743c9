"""Draw predictions: what a detector, a segmentor or a classifier answers, beside the ground truth.

The image stays visible under each region, which is filled and outlined, or striped. For a
segmentation, the colors of the dataset's palette lie over a gray image, so that they look the same
on every object. Pixels that evaluation ignores keep the colors of the image.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import cv2
import numpy as np
from PIL import Image, ImageDraw

from ..data.loading import IGNORED
from ..data.loading.image_file import read_shown
from ..openmmlab.samples import to_answer
from . import sheet
from .objects import Objects, annotated, predicted

if TYPE_CHECKING:  # pictures of any origin are drawn where there is no torch
    from torch import nn

OPACITY = 0.45  # of the filling
OUTLINE = 2  # width of an outline in pixels
STRIPE = 3  # width of a stripe in pixels
PERIOD = 5  # stripes until the next white one


def shade(picture: Image.Image, masks: np.ndarray, colors: Sequence) -> Image.Image:
    """Draw masks (N, h, w), which are stretched over the picture; small ones lie on large ones.

    torchvision's ``draw_segmentation_masks`` has no outlines, without which objects of one class
    that touch look like one.
    """
    pixels = np.array(picture)
    areas = np.array([np.count_nonzero(mask) for mask in masks])
    for place in np.argsort(-areas, kind='stable'):
        soft = cv2.resize(masks[place].astype(np.uint8) * 255, picture.size)
        inside = cv2.threshold(soft, 127, 255, cv2.THRESH_BINARY)[1]
        mixed = (1 - OPACITY) * np.arange(256)[:, None] + OPACITY * np.array(colors[place])
        cv2.copyTo(cv2.LUT(pixels, mixed[None].round().astype(np.uint8)), inside, pixels)
        outlines, _ = cv2.findContours(inside, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
        cv2.drawContours(pixels, outlines, -1, colors[place], OUTLINE, cv2.LINE_AA)
    return Image.fromarray(pixels)


def stripe(picture: Image.Image, mask: np.ndarray) -> Image.Image:
    """Draw slanted stripes, a white one beside a black one, on a mask (h, w) stretched over it."""
    pixels = np.array(picture)
    inside = cv2.resize(mask.astype(np.uint8), picture.size, interpolation=cv2.INTER_NEAREST) > 0
    rows, columns = np.indices(inside.shape)
    number = (rows + columns) // STRIPE % PERIOD  # (H, W), which stripe of a period it is
    pixels[inside & (number == 0)] = 255
    pixels[inside & (number == 1)] = 0
    return Image.fromarray(pixels)


# ------------------------------------------------------------------------ boxes


GRAY = (160, 160, 160)  # of what is ignored


def draw_objects(
    image: Image.Image,
    objects: Objects,
    classes: Sequence[str],
    sides: tuple[int, int] = sheet.SIDES,
) -> Image.Image:
    """Draw boxes, or masks where there are any, on a copy of ``image`` enlarged to ``sides``.

    Class names and scores stand at the upper left corners of the boxes. What is ignored is gray and
    striped; what is followed has its number, and a color of its own.
    """
    picture = sheet.enlarged(image, sides)
    boxes = objects.boxes * (max(picture.size) / max(image.size))
    colors = []
    texts = []
    for place, label in enumerate(objects.labels):
        color = sheet.PALETTE[label % len(sheet.PALETTE)]
        text = classes[label]
        if objects.tracks is not None and objects.tracks[place] >= 0:
            color = sheet.PALETTE[objects.tracks[place] % len(sheet.PALETTE)]
            text = f'{objects.tracks[place]} {text}'
        if objects.ignored is not None and objects.ignored[place]:
            color = GRAY
            text = f'{text} (ignored)'
            picture = stripe(picture, _region(objects, place, image.size))
        if objects.scores is not None:
            text = f'{text} {objects.scores[place]:.2f}'
        colors.append(color)
        texts.append(text)
    if objects.masks is not None:
        picture = shade(picture, objects.masks, colors)
    else:
        draw = ImageDraw.Draw(picture)
        for box, color in zip(boxes, colors, strict=True):
            draw.rectangle(tuple(box), outline=color, width=3)
    write_labels(picture, boxes, texts, colors)
    return picture


def _region(objects: Objects, place: int, size: tuple[int, int]) -> np.ndarray:
    """Return the mask (H, W) of an object, that of its box where there is none."""
    if objects.masks is not None:
        return objects.masks[place]
    left, top, right, bottom = objects.boxes[place].round().astype(int).clip(0)
    region = np.zeros(size[::-1], bool)
    region[top:bottom, left:right] = True
    return region


def write_labels(
    picture: Image.Image, boxes: np.ndarray, texts: Sequence[str], colors: Sequence[tuple]
) -> None:
    """Write a text on a color at the upper left corner of each box (N, 4); none covers another.

    Labels move down to where none is yet. Those that find no room in the picture are left out.
    """
    placed: list[tuple[int, int, int]] = []  # x, y, width
    for (left, top, *_), text, color in zip(boxes.tolist(), texts, colors, strict=True):
        label = sheet.text_label(text, color)
        x = max(0, min(round(left), picture.width - label.width))
        y = max(0, min(round(top) - sheet.LINE, picture.height - sheet.LINE))
        beside = [b for a, b, width in placed if x < a + width and a < x + label.width]
        while y < picture.height and any(abs(y - b) < sheet.LINE for b in beside):
            y += sheet.LINE
        if y < picture.height:
            picture.paste(label, (x, y))
            placed.append((x, y, label.width))


def draw_detections(
    model: 'nn.Module', dataset, number: int, threshold: float
) -> Iterator[tuple[str, Image.Image]]:
    """Yield names and pictures of what mmdet's ``model`` finds on ``number`` images of ``dataset``.

    The model is in evaluation mode, the dataset in test mode; lower scores are left out.
    """
    classes = dataset.metainfo['classes']

    def draw(place: int, path: str) -> Image.Image:
        image = sheet.from_bgr(read_shown(path))
        found = predicted(to_answer(sheet.answered(model, dataset[place])), len(classes), threshold)
        title = 'prediction' if found.scores is None else f'prediction, score >= {threshold:g}'
        truth = annotated(dataset.get_data_info(place))
        if found.masks is None:  # boxes beside boxes
            truth.masks = None
        panels = {'ground truth': truth, title: found}
        return sheet.side_by_side(
            [(name, draw_objects(image, on_it, classes)) for name, on_it in panels.items()]
        )

    return sheet.draw_samples(dataset, number, draw)


# ------------------------------------------------------------------------ segmentations


PANELS = {'ground truth': 'gt_sem_seg', 'prediction': 'pred_sem_seg'}
COLOR_OPACITY = 0.55  # of the colors over the image
LEGEND = 12  # classes named at most, the largest


def overlay(
    image: Image.Image, labels: np.ndarray, palette: Sequence, sides: tuple[int, int] = sheet.SIDES
) -> Image.Image:
    """Lay the colors of ``labels`` (H, W) over a gray copy of the image, enlarged to ``sides``."""
    table = np.zeros((1, 256, 3), np.uint8)
    table[0, : len(palette)] = palette
    colors = cv2.LUT(cv2.merge([labels.astype(np.uint8)] * 3), table)  # (H, W, 3)
    pixels = np.asarray(image)
    gray = cv2.cvtColor(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
    mixed = cv2.addWeighted(gray, 1 - COLOR_OPACITY, colors, COLOR_OPACITY, 0)
    cv2.copyTo(pixels, (labels == IGNORED).astype(np.uint8), mixed)
    return sheet.enlarged(Image.fromarray(mixed), sides)


def legend(
    labels: np.ndarray, classes: Sequence[str], palette: Sequence, width: int
) -> Image.Image:
    """Name the classes with the most of ``labels``, each on its color, in rows of ``width``."""
    counts = np.bincount(labels.ravel(), minlength=len(classes))[: len(classes)]
    largest = [label for label in np.argsort(-counts)[:LEGEND] if counts[label]]
    return sheet.name_strip({classes[label]: palette[label] for label in sorted(largest)}, width)


def draw_masks(model: 'nn.Module', dataset, number: int) -> Iterator[tuple[str, Image.Image]]:
    """Yield names and pictures of answers of mmseg's ``model`` for images of ``dataset``.

    The model is in evaluation mode, the dataset in test mode, with masks or without.
    """
    palette = dataset.metainfo['palette']
    load = dataset.pipeline.transforms[0]

    def draw(place: int, path: str) -> Image.Image:
        image = sheet.from_bgr(load({'img_path': path})['img'])
        result = sheet.answered(model, dataset[place])
        labels = {  # (H, W) at the size of the image file
            title: result.get(key).data[0].numpy().astype(np.uint8)
            for title, key in PANELS.items()
            if key in result
        }
        row = sheet.side_by_side(
            [(title, overlay(image, part, palette)) for title, part in labels.items()]
        )
        names = legend(
            np.stack(list(labels.values())), dataset.metainfo['classes'], palette, row.width
        )
        return sheet.below(row, names, gap=sheet.GAP)

    return sheet.draw_samples(dataset, number, draw)


# ------------------------------------------------------------------------ classifications


BEST = 3  # classes that are named
WHITE = (255, 255, 255)


def name_classes(
    image: Image.Image, truth: int | None, scores: np.ndarray, classes: Sequence[str]
) -> Image.Image:
    """Name the class of an image, and those with the best scores, below an enlarged copy of it.

    Each class has its color, so a right answer has that of the ground truth.

    Args:
        image: the picture.
        truth: the class that it is of, None where that is not known.
        scores: (C,).
        classes: C names.
    """
    picture = sheet.enlarged(image)
    best = np.argsort(-scores, kind='stable')[:BEST]
    lines = [(label, f'{classes[label]} {scores[label]:.2f}') for label in best.tolist()]
    if truth is not None:
        lines.insert(0, (truth, f'ground truth: {classes[truth]}'))
    strip = Image.new('RGB', (picture.width, len(lines) * (sheet.LINE + sheet.GAP)), WHITE)
    for row, (label, text) in enumerate(lines):
        color = sheet.PALETTE[label % len(sheet.PALETTE)]
        strip.paste(sheet.text_label(text, color), (0, row * (sheet.LINE + sheet.GAP)))
    return sheet.below(picture, strip, gap=sheet.GAP)


def draw_classes(model: 'nn.Module', dataset, number: int) -> Iterator[tuple[str, Image.Image]]:
    """Yield names and pictures of answers of mmpretrain's ``model`` for images of ``dataset``.

    The model is in evaluation mode, the dataset in test mode.
    """
    classes = dataset.metainfo['classes']

    def draw(place: int, path: str) -> Image.Image:
        pixels = read_shown(path) if path else dataset.get_data_info(place)['img']
        result = sheet.answered(model, dataset[place])
        truth = int(result.gt_label) if 'gt_label' in result else None
        return name_classes(sheet.from_bgr(pixels), truth, to_answer(result).scores, classes)

    return sheet.draw_samples(dataset, number, draw)
