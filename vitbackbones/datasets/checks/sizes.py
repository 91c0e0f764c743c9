"""Images whose sides a pipeline cannot resize: strips that vanish or grow beyond all memory.

OpenCV's own error names no file, and comes in the middle of an epoch.
"""

from collections.abc import Iterator, Sequence

from PIL import Image

from ...registry import bare_name

MAX_PIXELS = 2 * Image.MAX_IMAGE_PIXELS  # where Pillow refuses to open a file


def resize_fault(pipeline: Sequence[dict], height: int, width: int) -> str:
    """What is wrong with an image of (height, width) pixels for a pipeline, '' if nothing.

    Only the first step that resizes is looked at: what later ones get may have been cropped.

    Args:
        pipeline: the steps as configs write them, of any toolbox.

    >>> resize_fault([{'type': 'Resize', 'scale': (1333, 800), 'keep_ratio': True}], 1, 20000)
    'its 20000 x 1 pixels leave nothing of the short side when the pipeline resizes them'
    """
    short, long = sorted((height, width))
    for factor in _factors(pipeline, short, long):
        if round(short * factor, 6) < 0.5:
            what = 'leave nothing of the short side'
        elif short * long * factor**2 > MAX_PIXELS:
            what = f'become more than {MAX_PIXELS}'
        else:
            continue
        return f'its {width} x {height} pixels {what} when the pipeline resizes them'
    return ''


def _factors(pipeline: Sequence[dict], short: int, long: int) -> Iterator[float]:
    """What the first step that resizes may multiply both sides with."""
    for step in pipeline:
        kind = bare_name(step['type'])
        if kind == 'RandomChoice':
            for branch in step['transforms']:
                steps = [branch] if isinstance(branch, dict) else branch
                yield from _factors(steps, short, long)
        elif kind == 'ResizeEdge':
            yield step['scale'] / (long if step.get('edge') == 'long' else short)
        elif step.get('keep_ratio'):
            yield from (min(max(s) / long, min(s) / short) for s in _scales(step))
        if 'Crop' in kind or 'Resize' in kind or kind == 'RandomChoice':
            return


def _scales(step: dict) -> Iterator[Sequence[float]]:
    """The sides at most of ``Resize``, ``RandomChoiceResize`` and ``RandomResize``."""
    given = step.get('scales') or step.get('scale') or ()
    several = isinstance(given, Sequence) and isinstance(next(iter(given), 0), Sequence)
    for scale in given if several else filter(None, [given]):
        sides = (scale, scale) if isinstance(scale, int) else scale
        for ratio in step.get('ratio_range') or [1]:
            yield [side * ratio for side in sides]
