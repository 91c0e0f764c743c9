"""The steps that a card may have, and a rule for each of their options.

They are looked at before the first picture is: what passes here, :mod:`.preparing` can take without
a second look.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import InputError
from ..utils.messages import cut, some
from ..utils.rules import FLAG, Rule, choice, listed, number, whole

MAX_PIXELS = 2**25  # that an image may grow to; 5792 x 5792, in floats 400 MB
MOST_STEPS = 8  # each may take a second; pipelines have five
# By the library that resizes: its name of each interpolation.
INTERPOLATIONS = {
    'cv2': {
        'nearest': 'INTER_NEAREST',
        'bilinear': 'INTER_LINEAR',
        'bicubic': 'INTER_CUBIC',
        'area': 'INTER_AREA',
        'lanczos': 'INTER_LANCZOS4',
    },
    'pillow': {
        name: name.upper()
        for name in ('nearest', 'bilinear', 'bicubic', 'box', 'lanczos', 'hamming')
    },
}
SIDE = whole(1, 2**20)
LEVEL = number(least=0, most=255)
COLOR = LEVEL | listed(LEVEL, 3)  # in BGR
SIZE = Rule(
    f'height and width, two integers of at least 1 with at most {MAX_PIXELS} pixels',
    lambda value: listed(SIDE, 2).fits(value) and math.prod(value) <= MAX_PIXELS,
)


def require_values(values: Mapping, rules: Mapping[str, Rule], place: str) -> None:
    """Check the values of those keys that are there.

    Raises:
        InputError: one breaks its rule; the message begins with ``place`` and its key.
    """
    for key, rule in rules.items():
        if key in values and not rule.fits(values[key]):
            raise InputError(f'{place}{key} must be {rule.text}, not {cut(values[key])}')


HOW = {
    'interpolation': choice(*INTERPOLATIONS['cv2'], 'box', 'hamming'),
    'backend': choice(*INTERPOLATIONS),
}
# By the type of a step: the options that it must have, and those that it may have.
STEPS: dict[str, tuple[dict[str, Rule], dict[str, Rule]]] = {
    'resize': ({'size': SIZE}, HOW),
    # a pipeline may leave the longer side open
    'resize_within': ({'longer': number(least=1) | choice(math.inf), 'shorter': SIDE}, HOW),
    'resize_into': ({'size': SIZE}, HOW),
    'resize_over': ({'size': SIZE}, HOW),
    'resize_edge': ({'length': SIDE}, {'edge': choice('short', 'long', 'width', 'height'), **HOW}),
    'resize_to_multiple': ({'divisor': SIDE}, HOW),
    'center_crop': ({'size': SIZE}, {}),
    'pad_pixels': ({}, {'size': SIZE, 'multiple': SIDE, 'square': FLAG, 'value': COLOR}),
    'pad': ({'size': SIZE}, {'value': COLOR}),
    'pad_to_multiple': ({'divisor': SIDE}, {}),
    'slide': ({'crop': SIZE, 'stride': SIZE}, {}),
}


def require_steps(steps: Sequence[Mapping[str, Any]], place: str) -> None:
    """Check that all steps of a card are known, and their options as well.

    Raises:
        InputError: one is not; the message begins with ``place``.
    """
    for i, step in enumerate(steps):
        here = f'{place}: steps[{i}]'
        kind = step.get('type', '')
        if not choice(*STEPS).fits(kind):
            raise InputError(f'{here} is not a known step; use one of {", ".join(STEPS)}')
        needed, optional = STEPS[kind]
        if missing := sorted(needed.keys() - step.keys()):
            raise InputError(f'{here} ({kind}) has no {", ".join(missing)}')
        if unknown := sorted(step.keys() - {'type', *needed, *optional}):
            raise InputError(f'{here} ({kind}) has no option {some(unknown)}')
        require_values(step, needed | optional, f'{here}.')
        # options that are right by themselves and do not go together
        stride = step.get('stride', [0, 0])
        crop = step.get('crop', [0, 0])
        if stride[0] > crop[0] or stride[1] > crop[1]:
            raise InputError(f'{here} ({kind}): a stride of {stride} skips pixels between windows')
        backend = step.get('backend', 'cv2')
        method = step.get('interpolation', 'bilinear')
        if method not in INTERPOLATIONS[backend]:
            raise InputError(f'{here} ({kind}): {backend} has no interpolation {method!r}')
