"""Samples of mmpretrain as pictures: the image, and its classes, mixed ones with their shares."""

from collections.abc import Iterator, Mapping

import numpy as np
from mmengine.structures import BaseDataElement
from PIL import ImageDraw

from ...inference.drawing.sample_sheet import Drawn
from ...inference.drawing.sheet import LINE, enlarged, from_bgr, label_width, one_line, write_label

SMALLEST = 192  # longer side of a picture at least
PART = 5 / 8  # of the longest side for other tasks: there are no details to be seen
SHARE = 0.005  # of a class that is named


def draw(pixels: np.ndarray, sample: BaseDataElement, meta: Mapping, longest: int) -> Drawn:
    """Draw what a sample has, see ``Task.browse``: names stand at the lower left."""
    picture = enlarged(from_bgr(pixels), (SMALLEST, round(PART * longest)))
    texts = [_cut(text, picture.width) for text in _texts(sample, meta.get('classes') or ())]
    for place, text in enumerate(texts):
        corner = (0, picture.height - LINE * (len(texts) - place))
        write_label(ImageDraw.Draw(picture), corner, text, (255, 255, 255))
    return Drawn(picture)


def _texts(sample: BaseDataElement, classes: tuple[str, ...]) -> Iterator[str]:
    """Yield the classes of a sample; where several are mixed, the largest first."""
    if not classes or 'gt_label' not in sample:
        return
    shares = sample.get('gt_score')
    if shares is None:
        yield from (classes[label] for label in sample.gt_label.tolist())
        return
    largest, labels = shares.sort(descending=True)
    for share, label in zip(largest.tolist(), labels.tolist(), strict=True):
        if share > SHARE and label < len(classes):
            yield classes[label] if share > 1 - SHARE else f'{share:.0%} {classes[label]}'


def _cut(text: str, width: int) -> str:
    """Leave out the end of a text that is wider than a picture."""
    text = one_line(text)
    while label_width(text) > width:
        text = f'{text.removesuffix("...")[:-1]}...'
    return text
