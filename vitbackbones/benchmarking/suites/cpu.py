"""Inference on a CPU: every kind of model eager, folded, packed and compiled, and its rivals.

A group is one model: its eager form, which is the unit of ``ratio``, its other forms, and its
rivals, all in turns. Each row says what was aimed at, and whether it is met. Where the processor
emulates bfloat16 the forms in it are left out.
"""

from argparse import Namespace
from collections.abc import Iterator, Mapping

from ...errors import InputError
from ...layers.fuse import computes_bfloat16
from ..comparing import IN_BFLOAT16, cases, compared
from ..model_sources import Source

MODELS = (
    'deit_s',
    'aug_vit_s',
    'simple_vit_s',
    'msf_vit_s',
    'sret_t',
    'sret_s',
    'tnt_s',
    'pvt_s',
    'aug_pvt_s',
    'swin_t',
    'msf_swin_t',
    't2t_14',
    'aug_t2t_14',
    'mixer_b16',
)
# the most time that a form may take, in units of the eager form
AIMS = {
    'folded': None,
    'fused': 0.75,
    'compiled': 0.75,
    'fused_bf16': 0.45,
    'compiled_bf16': 0.45,
}
# the most time that the faster form in float32 may take, in units of the model in another runtime
RUNTIMES = {'onnxruntime': 1.10, 'openvino': 1.10}
# ... and of the same model of another package
PACKAGES = {
    'deit_s': ('timm:deit_small_patch16_224', 0.80),
    'swin_t': ('timm:swin_tiny_patch4_window7_224', 0.80),
    'tnt_s': ('timm:tnt_s_patch16_224', 0.55),
}
BATCHES: dict[tuple[int, int], tuple[int, ...]] = {(224, 224): (8, 1)}
# unmeasured calls before each timed one, as eight forms have eight copies of the weights
APPROACH = 1


def rows(options: Namespace, sources: Mapping[str, Source]) -> Iterator[dict]:
    """Yield a row of the table for every case, model and form.

    ``options.models`` may name some of :data:`MODELS`. Compiled are torch's own models alone.

    Raises:
        InputError: another model is named.
    """
    for name in options.models:
        if name not in MODELS:
            raise InputError(f'{name}: not in the suite; it has {", ".join(MODELS)}')
    for case in cases(options, BATCHES):
        for name in options.models or MODELS:
            group = _group(name, rivals=case.engine == 'eager')
            found = list(compared(list(group), case, options, sources, APPROACH))
            yield from ({'model': name} | row for row in _judged(found, group))


def _group(name: str, rivals: bool) -> dict[str, float | None]:
    """Return the forms of a model and its rivals, and what is aimed at with each."""
    group: dict[str, float | None] = {f'ours:{name}': None}
    left_out = () if computes_bfloat16() else IN_BFLOAT16
    group |= {f'{form}:{name}': aim for form, aim in AIMS.items() if form not in left_out}
    if rivals:
        group |= {f'{runtime}:{name}': aim for runtime, aim in RUNTIMES.items()}
    if name in PACKAGES:
        group |= [PACKAGES[name]]
    return group


def _judged(found: list[dict], group: Mapping[str, float | None]) -> Iterator[dict]:
    """Add to each row ``reached``, in the units of ``aim``, and whether it is met.

    For a form that is its ratio; for a rival, the ratio of the faster form in float32 to it.
    """
    ours = min(row['ratio'] for row in found if row['form'].startswith(('fused:', 'compiled:')))
    for row in found:
        aim, is_form = group[row['form']], row['form'].partition(':')[0] in ('ours', *AIMS)
        reached = row['ratio'] if is_form else round(ours / row['ratio'], 3)
        verdict = '' if aim is None else 'met' if reached <= aim else 'missed'
        yield row | {'reached': reached, 'aim': aim or '', 'verdict': verdict}
