"""What the config in a checkpoint says about images. Its text is read, never run.

mmengine keeps the config of a run as text in its checkpoints. A network that is filled from one
has to see the images that the run saw.
"""

import ast
from collections.abc import Mapping
from contextlib import suppress

from ...utils.literals import read_value
from ...utils.rules import listed, number

INTERPOLATIONS = ('nearest', 'bilinear', 'bicubic', 'lanczos')
LARGEST = 10  # times the side of a crop that a picture is resized to
LONGEST = 2**17  # characters of a config; Python takes a kilobyte of memory for one of them
LEVELS = listed(number(least=0, most=255), 3)
SECTIONS = ('model', 'data_preprocessor', 'test_dataloader')


def config_images(text: str) -> dict:
    """Return what a config says, in the words of a ``data_config`` (``models.preprocessing``).

    Args:
        text: Python with one assignment for each setting, as mmengine writes it.

    Returns:
        ``mean`` and ``std`` for pixels in [0, 1], ``crop_pct``, ``interpolation``; what the text
        does not say, or computes, is left out.
    """
    settings = _settings(text)
    images = {}
    inside = _part(settings, 'model', 'data_preprocessor')
    preprocessor = inside or settings.get('data_preprocessor')
    mean = _part(preprocessor, 'mean')
    std = _part(preprocessor, 'std')
    if LEVELS.fits(mean) and LEVELS.fits(std) and all(std):
        images['mean'] = tuple(level / 255 for level in mean)
        images['std'] = tuple(level / 255 for level in std)
    return images | _crop(_part(settings, 'test_dataloader', 'dataset', 'pipeline'))


def _settings(text: str) -> dict:
    """Return those of ``SECTIONS`` that are plain values."""
    if len(text) > LONGEST:
        return {}
    try:
        lines = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # zero bytes, deep brackets
        return {}
    found = {}
    for line in lines:
        match line:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in SECTIONS:
                found.pop(name, None)  # the last line counts, also where it computes
                with suppress(ValueError, RecursionError):
                    found[name] = read_value(ast.unparse(value))
    return found


def _part(settings: object, *keys: str) -> object:
    for key in keys:
        settings = settings.get(key) if isinstance(settings, Mapping) else None
    return settings


def _crop(steps: object) -> dict:
    """Return the central crop after a resize of the short edge, mmpretrain's evaluation."""
    steps = steps if isinstance(steps, list) else ()
    by_type = {str(_part(step, 'type')): step for step in steps}
    edge = _part(by_type.get('ResizeEdge'), 'scale')
    side = _part(by_type.get('CenterCrop'), 'crop_size')
    if not (isinstance(edge, int) and isinstance(side, int) and 0 < side <= edge <= LARGEST * side):
        return {}
    images = {'crop_pct': side / edge}
    interpolation = _part(by_type['ResizeEdge'], 'interpolation')
    if interpolation in INTERPOLATIONS:
        images['interpolation'] = interpolation
    return images
