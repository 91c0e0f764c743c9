"""Measure a detector that finds nothing, as a young one may: its AP is 0."""

from collections.abc import Callable

import numpy as np


def take_none(load: Callable) -> Callable:
    """Return ``COCO.loadRes`` for an empty list, too; pycocotools looks at the first entry."""

    def load_all_or_none(self, results: list[dict] | np.ndarray | str):
        if not isinstance(results, list) or results:
            return load(self, results)
        none = type(self)()
        none.dataset = {**self.dataset, 'annotations': []}
        none.createIndex()
        return none

    return load_all_or_none
