"""Inference on a CPU: every kind of model eager, folded and compiled, and its rivals.

A group is one model: its eager form, which is the unit of ratio, its other forms, and its rivals,
all in turns. Each row says what was aimed at, and whether it is met. Where the processor emulates
bfloat16 the forms in it are left out.
"""

from argparse import Namespace
from collections.abc import Iterator, Mapping

from vitbackbones.commands.benchmark import add_cases
from vitbackbones.errors import InputError
from vitbackbones.layers.fuse import computes_bfloat16
from vitbackbones.results.benchmark.comparing import IN_BFLOAT16, cases, compared

from .command import add_models, start
from .sources import SOURCES

MODELS = (
    *('deit_s', 'aug_vit_s', 'simple_vit_s', 'msf_vit_s', 'sret_t', 'sret_s', 'tnt_s', 'pvt_s'),
    *('aug_pvt_s', 'swin_t', 'msf_swin_t', 't2t_14', 'aug_t2t_14', 'mixer_b16'),
)
# the most time that a form may take, in units of the eager form
IN_FLOAT32 = {'fused': None, 'compiled': 0.75}
AIMS = {**IN_FLOAT32, **dict.fromkeys(IN_BFLOAT16, 0.45)}
# the most time that the faster form in float32 may take, in units of the model in another runtime
RUNTIMES = {'onnxruntime': 1.10, 'openvino': 1.10}
# ... and of the same model of another package
PACKAGES = {
    'deit_s': ('timm:deit_small_patch16_224', 0.80),
    'swin_t': ('timm:swin_tiny_patch4_window7_224', 0.80),
    'tnt_s': ('timm:tnt_s_patch16_224', 0.55),
}
# unmeasured calls before each timed one, as eight forms have eight copies of the weights
APPROACH = 1


def rows(options: Namespace) -> Iterator[dict]:
    """Yield a row for every case, model and form."""
    options.features = False
    for name in options.models:
        if name not in MODELS:
            raise InputError(f'{name}: not in the suite; it has {", ".join(MODELS)}')
    for case in cases(options, {(224, 224): (8, 1)}):
        for name in options.models or MODELS:
            aims = _aims(name)
            found = list(compared(list(aims), case, options, SOURCES, APPROACH))
            yield from ({'model': name} | row for row in _judged(found, aims))


def _aims(name: str) -> dict[str, float | None]:
    """Return the forms of a model and its rivals, and what is aimed at with each."""
    forms = AIMS if computes_bfloat16() else IN_FLOAT32
    aims = {f'{form}:{name}': aim for form, aim in {'ours': None, **forms, **RUNTIMES}.items()}
    if name in PACKAGES:
        rival, aim = PACKAGES[name]
        aims[rival] = aim
    return aims


def _judged(found: list[dict], aims: Mapping[str, float | None]) -> Iterator[dict]:
    """Add to each row ``reached``, in the units of ``aim``, and whether it is met.

    For a form that is its ratio; for a rival, the ratio of the faster form in float32 to it.
    """
    ours = min(row['ratio'] for row in found if row['form'].startswith(('fused:', 'compiled:')))
    for row in found:
        aim, source = aims[row['form']], row['form'].partition(':')[0]
        own = source in ('ours', *AIMS)
        reached = row['ratio'] if own else round(ours / row['ratio'], 3)
        verdict = '' if aim is None else 'met' if reached <= aim else 'missed'
        yield {'source': source} | row | {'reached': reached, 'aim': aim or '', 'verdict': verdict}


if __name__ == '__main__':
    start(__doc__, rows, add_models, add_cases)
