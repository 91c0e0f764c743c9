"""How a pipeline of any toolbox loads an image and its masks, and whether it can resize them."""

from collections.abc import Iterator, Sequence

from PIL import Image

from ...registry import bare_name

MAX_PIXELS = 2 * Image.MAX_IMAGE_PIXELS  # where Pillow refuses to open a file
TURNING = ('color', 'grayscale')  # color types in which mmcv turns an image as EXIF says


def color_type(pipeline: Sequence[dict]) -> str:
    """Return the color type in which a pipeline loads images."""
    for step in pipeline:
        if bare_name(step['type']) in ('LoadImage', 'LoadImageFromFile'):
            return step.get('color_type', 'color')
    return 'color'


def wants_masks(pipeline: Sequence[dict]) -> bool:
    """Tell whether a pipeline of mmdet loads the masks of objects."""
    return any(step.get('with_mask', False) for step in pipeline)


# ---------------------------------------------------------------------------- sizes
# Strips vanish or grow beyond all memory when they are resized. OpenCV's own error names no file,
# and comes in the middle of an epoch.


def resize_fault(pipeline: Sequence[dict], height: int, width: int) -> str:
    """Return what is wrong with an image of (height, width) pixels for a pipeline, '' if nothing.

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
    """Yield what the first step that resizes may multiply both sides with."""
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
    """Yield the largest sides that ``Resize``, ``RandomChoiceResize`` or ``RandomResize`` allow."""
    given = step.get('scales') or step.get('scale') or ()
    several = isinstance(given, Sequence) and isinstance(next(iter(given), 0), Sequence)
    for scale in given if several else filter(None, [given]):
        sides = (scale, scale) if isinstance(scale, int) else scale
        for ratio in step.get('ratio_range') or [1]:
            yield [side * ratio for side in sides]
