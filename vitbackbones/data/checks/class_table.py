"""How often each class occurs in a data set, as a table."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

SHOWN = 20  # rows


def class_table(
    samples: list[dict], classes: Sequence[str], pixels: Sequence[np.ndarray | None] = ()
) -> str:
    """Return the table of a data set, '' where nothing tells the classes.

    Args:
        samples: what the data set lists: of mmdet with boxes, or of mmpretrain with a label.
        classes: their names.
        pixels: of mmseg, the pixels of each class (K,) in each mask; None for a bad mask.
    """
    masks = [dict(enumerate(counts)) for counts in pixels if counts is not None]
    first = samples[0] if samples else {}
    if masks:
        return _table(classes, _columns('pixels', masks))
    if 'instances' in first:
        columns = _columns('boxes', map(_boxes, samples))
        masked = Counter(chain.from_iterable(map(_masks, samples)))
        return _table(classes, columns | ({'masks': masked} if masked else {}))
    if isinstance(first.get('gt_label'), int):
        return _table(classes, {'images': Counter(sample['gt_label'] for sample in samples)})
    return ''


def _boxes(sample: dict) -> dict[int, int]:
    """Count the boxes of each label that a detector learns from."""
    return Counter(box['bbox_label'] for box in sample['instances'] if not box['ignore_flag'])


def _masks(sample: dict) -> list[int]:
    """Return the label of each box that comes with a mask."""
    kept = (box for box in sample['instances'] if not box['ignore_flag'])
    return [box['bbox_label'] for box in kept if 'mask' in box]


def _columns(kind: str, found: Iterable[dict[int, int]]) -> dict[str, Counter]:
    """Count in how many images each label is, and how often in all of them."""
    images, total = Counter(), Counter()
    for counts in found:
        images.update(label for label, count in counts.items() if count)
        total.update(counts)
    return {'images': images, kind: total}


def _table(classes: Sequence[str], columns: dict[str, Counter]) -> str:
    """Write a line for each class, the most frequent first; of many classes only both ends."""
    rows = []
    for label, name in enumerate(classes):
        counts = [column[label] for column in columns.values()]
        rows.append([name, *counts])
    rows.sort(key=lambda row: -row[-1])
    if len(rows) > SHOWN:
        rows[SHOWN // 2 : -SHOWN // 2] = [['...'] + [''] * len(columns)]
    rows.insert(0, ['class', *columns])
    widths = [max(len(str(cell)) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for name, *counts in rows:
        cells = [f'{name:<{widths[0]}}']
        for count, width in zip(counts, widths[1:], strict=True):
            cells.append(f'{count:>{width}}')
        lines.append('  ' + '  '.join(cells).rstrip())
    return '\n'.join(lines)
