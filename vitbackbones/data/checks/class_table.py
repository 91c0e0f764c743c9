"""How often each class occurs in a data set, as a table."""

from collections import Counter
from collections.abc import Sequence

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
    first = samples[0] if samples else {}
    looked_at = [counts for counts in pixels if counts is not None]
    images = Counter()  # in how many of them each label is
    if looked_at:
        for counts in looked_at:
            images.update(np.flatnonzero(counts).tolist())
        total = dict(enumerate(sum(looked_at).tolist()))
        return _table(classes, {'images': images, 'pixels': total})
    if 'instances' in first:
        boxes, masks = Counter(), Counter()
        for sample in samples:
            learned = [box for box in sample['instances'] if not box['ignore_flag']]
            images.update({box['bbox_label'] for box in learned})
            boxes.update(box['bbox_label'] for box in learned)
            masks.update(box['bbox_label'] for box in learned if 'mask' in box)
        columns = {'images': images, 'boxes': boxes}
        return _table(classes, columns | {'masks': masks} if masks else columns)
    if isinstance(first.get('gt_label'), int):
        return _table(classes, {'images': Counter(sample['gt_label'] for sample in samples)})
    return ''


def _table(classes: Sequence[str], columns: dict[str, dict[int, int]]) -> str:
    """Write a line for each class, the most frequent first; of many classes only both ends."""
    rows = []
    for label, name in enumerate(classes):
        rows.append([name, *(column.get(label, 0) for column in columns.values())])
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
