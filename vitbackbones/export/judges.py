"""Choose images for calibration, and evaluate an INT8 file.

Images for calibration are enough, suitable for the model, and none for evaluation. A file is
evaluated with the metric of its task, or by its agreement with float32.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from mmengine.config import Config
from mmengine.registry import DATASETS, init_default_scope

from ..configuration.data_paths import datasets
from ..data.checks.findings import spread
from ..data.loading.load_image import read_image
from ..errors import InputError
from ..runtime import Exported
from ..runtime.answers import Answer, Classified, Detected, Segmented
from ..runtime.card import digest
from ..training.console import EvaluatingRunner
from ..weights.read.class_names import require_same_names
from .formats import silenced
from .in_test import use_exported

ENOUGH = 300  # images; more hardly change a range
FEWEST = 16
SURE = 0.3  # score from which an object of the float32 graph counts
NOTHING = -1  # beside the labels of a detector


def pictures_of(config: Config, split: str) -> list[Path]:
    """Return the image files of the datasets of a split, in their order.

    Raises:
        InputError: they are not files of their own, as in tar shards.
    """
    init_default_scope(config.default_scope)
    files = []
    for place, dataset in datasets(config, (split,)):
        with silenced():  # COCO's reader prints
            built = DATASETS.build({**dataset, 'pipeline': []})
            built.full_init()
        paths = [built.get_data_info(i).get('img_path') for i in range(len(built))]
        if not all(paths):
            raise InputError(
                f'{place}: its images are not files; use class folders instead of shards'
            )
        files += map(Path, paths)
    return files


def choose(files: Sequence[Path]) -> list[Path]:
    """Return at most :data:`ENOUGH` files, spread evenly.

    Raises:
        InputError: they are too few.
    """
    if len(files) < FEWEST:
        raise InputError(
            f'--calibrate: {len(files)} images are too few for calibration; give at least '
            f'{FEWEST}, better {ENOUGH}'
        )
    return [files[i] for i in spread(len(files), ENOUGH)]


def require_others(calibration: Sequence[Path], judged: Sequence[Path]) -> None:
    """Reject images that the file is evaluated on, and copies of them."""
    sizes = {file.stat().st_size for file in calibration}
    digests = {digest(file): file for file in calibration}
    for file in judged:
        same = digests.get(digest(file)) if file.stat().st_size in sizes else None
        if same:
            raise InputError(
                f'--calibrate: {same} is one of the images that the file is evaluated on '
                f'({file}); give training images'
            )


def require_seen(exported: Exported, files: Sequence[Path]) -> None:
    """Reject images on which all predictions are equal, such as masks or images of another task."""
    seen = {NOTHING} if exported.card.task == 'detection' else set()
    for file in files:
        seen.update(_labels(exported.predict(read_image(str(file)))))
        if len(seen) > 1:
            return
    raise InputError(
        f'--calibrate: on all {len(files)} images, such as {files[0]}, the model predicts the '
        'same or nothing; give images of the kind that it was trained on'
    )


def _labels(answer: Answer) -> np.ndarray:
    """Return the labels of a picture, of its pixels, or of its sure objects."""
    if isinstance(answer, Classified):
        return answer.scores.argmax(keepdims=True)
    if isinstance(answer, Segmented):
        return np.unique(answer.labels)
    if answer.boxes is None:
        return np.unique(answer.segments)
    return answer.labels[answer.scores >= SURE]


# ------------------------------------------------------------------------ the metric


# What a task is judged by: the first of these that its metrics give, and what it is divided by
METRICS = {
    'coco_panoptic/PQ': 100,
    'coco/segm_mAP': 1,
    'coco/bbox_mAP': 1,
    'mIoU': 100,
    'accuracy/top1': 100,
}
SAME = 0.5  # IoU of the boxes of one object


class Validation:
    """Evaluates with the metric of a config on its test set.

    Args:
        exported: the file in float32.
        config: its test set is there; no model of it is built.
        work_dir: a folder for what a run writes.
    """

    def __init__(self, exported: Exported, config: Config, work_dir: str) -> None:
        self.files = pictures_of(config, 'test')
        config = use_exported(config, str(exported.file))
        config.update(work_dir=work_dir, load_from=None, resume=False)
        with silenced():
            self.runner = EvaluatingRunner.from_cfg(config)
        self.metric = 'unknown until the evaluation'

    def score(self, exported: Exported) -> float:
        """Evaluate an exported file.

        Raises:
            InputError: the test set has other classes, or the metrics give none of
                :data:`METRICS`.
        """
        classes = self.runner.test_loop.dataloader.dataset.metainfo.get('classes')
        require_same_names(exported.card.classes, classes, exported.card.name)
        self.runner.model.exported = exported
        with silenced():
            found = self.runner.test()
        name = next((name for name in METRICS if name in found), None)
        if name is None:
            raise InputError(
                f'test_evaluator: its metrics give {", ".join(found) or "no number"}, but INT8 '
                f'requires one of {", ".join(METRICS)}'
            )
        self.metric = name
        value = float(found[name]) / METRICS[name]
        if not 0 <= value <= 1:  # of nothing AP is -1, and IoU not a number
            raise InputError(
                f'test_evaluator: {name} is {value:g}: the test set has no annotations to '
                'evaluate against'
            )
        return value


class Agreeing(NamedTuple):
    """How many parts of a prediction are equal to those of another, of how many."""

    equal: int
    total: int


class Agreement:
    """Evaluates without ground truth: the fraction of predictions that equal those in float32."""

    metric = 'agreement with float32'

    def __init__(self, exported: Exported, files: Sequence[Path]) -> None:
        self.files = files
        self.wanted = {}
        for file in files:
            self.wanted[file] = _without_masks(exported.predict(read_image(str(file))))

    def score(self, exported: Exported) -> float:
        """Return the share of equal classes or pixels, or of objects that are found again."""
        counts = [self.count(exported, file) for file in self.files]
        equal = sum(count.equal for count in counts)
        total = sum(count.total for count in counts)
        if total == 0:
            raise InputError(
                '--images: the model detects nothing in these images, so there is nothing '
                'to compare'
            )
        return equal / total

    def count(self, exported: Exported, file: Path) -> Agreeing:
        """Compare the predictions on one image."""
        return _agreeing(exported.predict(read_image(str(file))), self.wanted[file])


def score_in_float32(judge: Validation | Agreement, exported: Exported) -> float:
    """Return the score of a file in float32, from which another precision may lose.

    Raises:
        InputError: it is 0, so nothing that another precision does could lower it.
    """
    if score := judge.score(exported):
        return score
    raise InputError(
        f'{judge.metric} in float32 is 0 on {len(judge.files)} images, so the loss of another '
        'precision cannot be measured. Train the model longer, or give other images'
    )


def _without_masks(answer: Answer) -> Answer:
    """Return what is compared of an answer; masks of many pictures would fill the memory."""
    return replace(answer, masks=None) if isinstance(answer, Detected) else answer


def _agreeing(found: Answer, wanted: Answer) -> Agreeing:
    """Compare a prediction with the one of the graph in float32."""
    if isinstance(wanted, Classified):
        return Agreeing(int(found.scores.argmax() == wanted.scores.argmax()), 1)
    if isinstance(wanted, Segmented) or wanted.boxes is None:
        name = 'labels' if isinstance(wanted, Segmented) else 'segments'
        equal = getattr(found, name) == getattr(wanted, name)
        return Agreeing(int(np.count_nonzero(equal)), equal.size)
    from mmdet.evaluation import bbox_overlaps  # here: heavy, and only detectors need it

    sure = wanted.scores >= SURE
    same = found.labels[:, None] == wanted.labels[sure]  # (M, K)
    near = same & (bbox_overlaps(found.boxes, wanted.boxes[sure]) >= SAME)
    return Agreeing(int(near.any(0).sum()), int(sure.sum()))
