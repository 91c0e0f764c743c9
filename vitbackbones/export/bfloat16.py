"""Files of OpenVINO that may run in bfloat16: the loss is measured before anything takes it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ..errors import InputError
from ..runtime import Exported, load
from ..runtime.card import Card
from ..runtime.precision import LACKING, has_bfloat16
from ..runtime.runtimes import start_openvino
from .judges import Agreement, Validation

MOST_DROP = 0.005  # by default


def prove_bfloat16(
    file: Path, judge: Callable[[Exported], Validation | Agreement], max_drop: float = MOST_DROP
) -> Card:
    """Return the card of a file with what it loses in bfloat16; the file stays as it is.

    Args:
        file: for OpenVINO, in float32; its card lies beside it.
        judge: as that of :class:`.int8.Int8`.
        max_drop: what the metric may lose at most, absolute.

    Raises:
        InputError: the processor has no bfloat16, or the metric loses too much.
    """
    if not has_bfloat16():
        raise InputError(f'--precision bf16: {LACKING}, so the loss cannot be measured here')
    exported = load(file, precision='f32')
    scorer = judge(exported)
    before = scorer.score(exported)
    after = scorer.score(exported.running(start_openvino(file, precision='bf16').run))
    if not before - after <= max_drop:
        raise InputError(
            f'bf16 lowers {scorer.metric} from {before:.4f} to {after:.4f} on '
            f'{len(scorer.files)} images, more than --max-drop {max_drop:g} allows'
        )
    proof = {'metric': scorer.metric, 'float32': before, 'bf16': after}
    return replace(exported.card, bf16=proof | {'pictures': len(scorer.files)})
