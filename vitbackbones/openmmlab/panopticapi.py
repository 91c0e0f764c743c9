"""What mmdet imports from panopticapi, which no package index has: colors of segments, and PQ.

Panoptic quality (Kirillov et al., CVPR 2019, "Panoptic Segmentation", equation 1) is, for a class,
the sum of the IoU of matched segments / (TP + FP / 2 + FN / 2).
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType

import numpy as np

from ..data.loading.coco_masks import VOID, to_colors, to_ids


@dataclass
class Counts:
    """Matched, superfluous and missed segments of a class, and the sum of the matched IoU."""

    tp: int = 0
    fp: int = 0
    fn: int = 0
    iou: float = 0.0

    def qualities(self) -> dict[str, float] | None:
        """Return PQ, SQ (the mean matched IoU) and RQ (F1), None where the class is not there."""
        segments = self.tp + 0.5 * self.fp + 0.5 * self.fn
        if not segments:
            return None
        sq = self.iou / self.tp if self.tp else 0.0
        return {'pq': self.iou / segments, 'sq': sq, 'rq': self.tp / segments}


class PQStat:
    """The counts of every class, by category id."""

    def __init__(self) -> None:
        self.counts: dict[int, Counts] = defaultdict(Counts)

    def __getitem__(self, category: int) -> Counts:
        return self.counts[category]

    def __iadd__(self, other: 'PQStat') -> 'PQStat':
        for category, more in other.counts.items():
            for name, number in vars(more).items():
                setattr(self[category], name, getattr(self[category], name) + number)
        return self

    def pq_average(
        self, categories: Mapping[int, dict], isthing: bool | None
    ) -> tuple[dict[str, float], dict[int, dict]]:
        """Average the qualities over the classes that occur.

        Args:
            categories: by their ids; ``isthing`` of each is 1 or 0.
            isthing: whether to take things alone or stuff alone; None for both.

        Returns:
            The means, nan where no class occurs, with the number ``n`` of classes; and the three
            of each class, 0 where it does not occur.
        """
        ids = [key for key, c in categories.items() if isthing in (None, c['isthing'] == 1)]
        each = {key: self.counts.get(key, Counts()).qualities() for key in ids}
        found = [q for q in each.values() if q is not None]
        nothing = dict.fromkeys(('pq', 'sq', 'rq'), 0.0)
        mean = {name: np.mean([q[name] for q in found]) if found else np.nan for name in nothing}
        return mean | {'n': len(found)}, {key: q or nothing for key, q in each.items()}


class PanopticAPI(ModuleType):
    """Stands in for ``panopticapi`` and its modules ``utils`` and ``evaluation`` alike."""

    __path__ = ()  # it has modules
    VOID = VOID
    OFFSET = 256**3
    PQStat = PQStat
    rgb2id = staticmethod(to_ids)
    id2rgb = staticmethod(to_colors)
