"""What may stand on a card: for each key, and each option of a step, a check.

A card comes with a file, which may come from anywhere. So each value is looked at before the first
picture is: what passes here, :mod:`.preparing` and :mod:`.sliding` can take without a second look.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..errors import InputError
from ..messages import cut, some

MAX_PIXELS = 178956970  # of an image: the limit of Pillow, which only some cards need installed
LONGEST_SIDE = 2**20
MOST_STEPS = 20  # each may take a second; pipelines have five
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
        'nearest': 'NEAREST',
        'bilinear': 'BILINEAR',
        'bicubic': 'BICUBIC',
        'box': 'BOX',
        'lanczos': 'LANCZOS',
        'hamming': 'HAMMING',
    },
}


class Check(NamedTuple):
    """A check of a value: what it must be, in words, and whether it is."""

    wanted: str
    holds: Callable[[Any], bool]


def whole(least: int, most: int) -> Check:
    """Check for an integer in a range."""
    words = f'a whole number from {least} to {most}'
    return Check(words, lambda value: type(value) is int and least <= value <= most)


def number(least: float, most: float) -> Check:
    """Check for an integer or a float in a range, which NaN never is."""
    words = f'a number from {least:g} to {most:g}'
    return Check(words, lambda value: _is_number(value) and least <= value <= most)


def _is_number(value: Any) -> bool:
    """Return whether a value can be computed with: an integer of many digits is no float."""
    return type(value) is float or (type(value) is int and value.bit_length() <= 64)


def one_of(*words: str) -> Check:
    """Check for one of some words."""
    return Check(f'one of {", ".join(words)}', lambda value: type(value) is str and value in words)


def list_of(each: Check, length: int | None = None) -> Check:
    """Check for a list of any length, or of the given one."""
    words = f'a list of {length or "entries"}, each {each.wanted}'
    return Check(
        words,
        lambda value: (
            isinstance(value, list)
            and (length is None or len(value) == length)
            and all(map(each.holds, value))
        ),
    )


def either(first: Check, second: Check) -> Check:
    """Check for what one of two checks allows."""
    words = f'{first.wanted}, or {second.wanted}'
    return Check(words, lambda value: first.holds(value) or second.holds(value))


NULL = Check('null', lambda value: value is None)
TEXT = Check('a text', lambda value: isinstance(value, str))
FLAG = Check('true or false', lambda value: isinstance(value, bool))
FEW = Check(
    f'a list of at most {MOST_STEPS}',
    lambda value: isinstance(value, list) and len(value) <= MOST_STEPS,
)
OBJECT = Check('an object {...}', lambda value: isinstance(value, dict))
SIDE = whole(1, LONGEST_SIDE)
SIDES = either(SIDE, NULL)
LEVEL = number(0, 255)
SIZE = Check(
    f'height and width, as whole numbers from 1, of at most {MAX_PIXELS} pixels',
    lambda value: list_of(SIDE, 2).holds(value) and math.prod(value) <= MAX_PIXELS,
)

# ------------------------------------------------------------------------ keys

CARD = {
    'format': one_of('onnx', 'openvino', 'pt2'),
    'task': one_of('classification', 'detection', 'segmentation'),
    'name': TEXT,
    'classes': list_of(TEXT),
    'palette': either(list_of(list_of(whole(0, 255), 3)), NULL),
    'input': OBJECT,
    'steps': FEW,
    'outputs': list_of(OBJECT),
    'dynamic': list_of(one_of('batch', 'size')),
    'half': FLAG,
    'checkpoint': either(OBJECT, NULL),
    'file_sha256': TEXT,
    'parity': OBJECT,
    'versions': OBJECT,
}
INPUT = {
    'name': TEXT,
    'dtype': one_of('float32', 'uint8'),
    'layout': one_of('NCHW', 'NHWC'),
    'shape': list_of(SIDES, 4),
    'color': one_of('rgb'),
    'mean': list_of(number(-1e6, 1e6), 3),
    'std': list_of(number(1e-6, 1e6), 3),
    'preprocess_inside': FLAG,
}
OUTPUT = {'name': TEXT, 'dtype': TEXT, 'shape': list_of(either(whole(0, 2**31), NULL))}


def require_values(values: Mapping, checks: Mapping[str, Check], place: str) -> None:
    """Check the values of some keys.

    Raises:
        InputError: one is no such value; the message begins with ``place`` and its key.
    """
    for key, check in checks.items():
        if key in values and not check.holds(values[key]):
            raise InputError(f'{place}{key} must be {check.wanted}, not {cut(values[key])}')


# ------------------------------------------------------------------------ steps


class Options(NamedTuple):
    """The options of a step: those that it must have, and those that it may have."""

    needed: Mapping[str, Check]
    optional: Mapping[str, Check] = {}


HOW = {
    'interpolation': one_of(*INTERPOLATIONS['cv2'], 'box', 'hamming'),
    'backend': one_of(*INTERPOLATIONS),
}
STEPS = {
    'resize': Options({'size': SIZE}, HOW),
    # a pipeline may leave the longer side open
    'resize_within': Options({'longer': number(1, math.inf), 'shorter': SIDE}, HOW),
    'resize_into': Options({'size': SIZE}, HOW),
    'resize_over': Options({'size': SIZE}, HOW),
    'resize_edge': Options(
        {'length': SIDE}, {'edge': one_of('short', 'long', 'width', 'height')} | HOW
    ),
    'resize_to_multiple': Options({'divisor': SIDE}, HOW),
    'center_crop': Options({'size': SIZE}),
    'pad_pixels': Options(
        {}, {'size': SIZE, 'multiple': SIDE, 'value': either(LEVEL, list_of(LEVEL, 3))}
    ),
    'pad': Options({'size': SIZE}),
    'pad_to_multiple': Options({'divisor': SIDE}),
    'slide': Options({'crop': SIZE, 'stride': SIZE}),
}


def require_step(step: Any, place: str) -> None:
    """Check that a step is known, and its options, too.

    Raises:
        InputError: it is not; the message begins with ``place``.
    """
    kind = step.get('type') if isinstance(step, Mapping) else None
    if type(kind) is not str or kind not in STEPS:
        raise InputError(f'{place} is no step; known are {some(STEPS, str, most=len(STEPS))}')
    needed, optional = STEPS[kind]
    if missing := sorted(needed.keys() - step.keys()):
        raise InputError(f'{place} ({kind}) misses {", ".join(missing)}')
    if unknown := sorted(step.keys() - {'type', *needed, *optional}):
        raise InputError(f'{place} ({kind}) has no option {some(unknown)}')
    require_values(step, {**needed, **optional}, f'{place}.')
    if conflict := _conflict(step):
        raise InputError(f'{place} ({kind}): {conflict}')


def _conflict(step: Mapping) -> str:
    """Say which options of a step, each right by itself, do not go together."""
    if step['type'] == 'slide':
        gaps = any(step > side for step, side in zip(step['stride'], step['crop'], strict=True))
        return f'a stride of {step["stride"]} leaves pixels out between windows' if gaps else ''
    backend = step.get('backend', 'cv2')
    method = step.get('interpolation', 'bilinear')
    known = method in INTERPOLATIONS[backend]
    return '' if known else f'{backend} has no interpolation {method!r}'
