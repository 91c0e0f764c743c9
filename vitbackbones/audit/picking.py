"""Which pictures to label next: those that a model is unsure of, unlike each other and those known.

The order is that of k-center greedy (Sener and Savarese, 2018), with distances times doubts.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from tqdm import tqdm

from ..data.loading.image_file import read_image
from ..data.sources import Frame, Source
from ..tasks.predictor import Predictor
from ..utils.messages import on_terminal

LEAST = 0.01  # doubt, so that what is unlike all others counts even where nothing is found
MOST = 10  # detections of a picture that count, those that are most in doubt


class Looks(NamedTuple):
    """What a model makes of N images.

    Attributes:
        vectors: means of the last feature map, of length 1, (N, C).
        doubts: how much each image is in doubt, (N,).
    """

    vectors: np.ndarray
    doubts: np.ndarray


def pick(
    predictor: Predictor, known: Sequence[Path], unlabeled: Sequence[Path], number: int
) -> list[tuple[Path, float]]:
    """Return up to ``number`` of the unlabeled pictures and how much each is in doubt, 0 to 1.

    Raises:
        UnreadableImage: a picture cannot be read.
    """
    vectors, doubts = _look(predictor, unlabeled)
    nearest = np.full(len(vectors), np.inf)
    for vector in _look(predictor, known).vectors:
        nearest = np.minimum(nearest, np.linalg.norm(vectors - vector, axis=1))
    chosen = []
    for _ in range(min(number, len(vectors))):
        best = int((nearest * doubts).argmax())
        chosen.append((unlabeled[best], float(doubts[best])))
        nearest = np.minimum(nearest, np.linalg.norm(vectors - vectors[best], axis=1))
        nearest[best] = -1
    return chosen


def _look(predictor: Predictor, files: Sequence[Path]) -> Looks:
    vectors = []
    doubts = []
    means = []  # of the picture, or of each window that slides over it
    hook = predictor.model.backbone.register_forward_hook(
        lambda *call: means.append(call[2][-1][0].mean((1, 2)))  # (1, C, H, W) -> (C,)
    )
    for file in tqdm(files, 'look', leave=False, disable=not on_terminal()):
        frame = Frame(Source(file, file.name), read_image(str(file), predictor.color))
        (pred,) = predictor([predictor.prepare(frame)])
        vector = torch.stack(means).mean(0).cpu().numpy()
        means.clear()
        vectors.append(vector / np.linalg.norm(vector))
        doubts.append(_doubt(pred))
    hook.remove()
    return Looks(np.stack(vectors), np.array(doubts).clip(LEAST))


def _doubt(pred) -> float:
    """Return how near scores are to 0.5, or the two best classes of pixels to each other."""
    if 'seg_logits' in pred:
        best = pred.seg_logits.data.softmax(0).topk(2, 0).values  # (2, H, W)
        return float(1 - (best[0] - best[1]).mean())
    scores = pred.pred_instances.scores.numpy()
    between = np.sort(1 - np.abs(2 * scores - 1))[-MOST:]
    return float(between.mean()) if len(between) else 0.0
