"""In which precision a file of OpenVINO computes: float32, or another one that was proven."""

from ..errors import InputError
from ..utils.processes import show_warnings
from .card import Card
from .runtimes import own_precision

LACKING = 'this processor has no instructions for bfloat16 (AVX512-BF16 or AMX-BF16)'


def has_bfloat16() -> bool:
    """Return whether OpenVINO computes in bfloat16 by itself, as it is fast on this processor."""
    return own_precision() == 'bf16'


def choose_precision(card: Card, wanted: str, place: str) -> str:
    """Return what the graph of a file has to compute in, ``'f32'`` or ``'bf16'``.

    Products of a file in INT8 are in 8 bits, and what is left is in float32.

    Args:
        card: of the file.
        wanted: one of :data:`~..utils.rules.PRECISIONS`; ``'auto'`` takes what was proven.
        place: the file, for messages.

    Raises:
        InputError: nobody has compared the file with float32 in this precision, or it has another.
    """
    if wanted in ('bf16', 'int8') and not getattr(card, wanted):
        raise InputError(
            f'{place}: its loss in {wanted} was not measured. Export it with --to openvino '
            f'--precision {wanted}; for a config, first run test with --runtime auto --precision '
            'bf16'
        )
    if wanted in ('f32', 'bf16') and card.int8:
        raise InputError(f'{place}: is in INT8, so it cannot compute in {wanted}')
    if not card.bf16 or wanted == 'f32':
        return 'f32'
    if has_bfloat16():
        return 'bf16'
    if wanted == 'bf16':
        show_warnings([f'--precision bf16: {LACKING}; using f32'])
    return 'f32'
