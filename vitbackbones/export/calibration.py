"""Choose images for calibration: enough, suitable for the model, and none for evaluation."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from mmengine.config import Config
from mmengine.registry import DATASETS, init_default_scope

from ..configuration.data_paths import datasets
from ..data.checks.findings import spread
from ..data.loading.load_image import read_image
from ..errors import InputError
from ..runtime import Exported
from ..runtime.answers import Answer, Classified, Segmented
from ..runtime.card import digest
from .graphs import silenced

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
