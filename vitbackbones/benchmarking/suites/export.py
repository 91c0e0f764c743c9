"""Every runtime on a CPU in float32: eager, fused, compiled, ONNX Runtime and OpenVINO.

All forms of a model take turns in one run, and are timed only if they answer alike. Classifiers are
named as in ``list_models()`` and have random weights; detectors and segmentors are configs, as one
graph from images to boxes or logits, with the weights that come with the package.
"""

from argparse import Namespace
from collections.abc import Iterator, Mapping

from ...errors import InputError
from ..comparing import compared
from ..model_sources import Source
from ..steps import Case

FORMS = ('fused', 'compiled', 'onnxruntime', 'openvino')
# model: height and width of its images, unless the command line names them
CLASSIFIERS = dict.fromkeys(('aug_vit_s', 'msf_vit_s', 'sret_t', 'tnt_s'), (224, 224))
CONFIGS = {'detr_aug_vit_s_shapes': (128, 128), 'setr_mla_msf_vit_ti_shapes': (128, 128)}
BATCH = 1
# unmeasured calls before each timed one, as five forms have five copies of the weights
APPROACH = 1


def rows(options: Namespace, sources: Mapping[str, Source]) -> Iterator[dict]:
    """Yield a row of the table for every model and form; ``options.models`` may name some.

    Raises:
        InputError: another model is named, or a form answers otherwise than the eager one.
    """
    known = CLASSIFIERS | CONFIGS
    if unknown := [name for name in options.models if name not in known]:
        raise InputError(f'{unknown[0]}: not in the suite; it has {", ".join(known)}')
    for name in options.models or known:
        for size in options.size or [known[name]]:
            for batch in options.batch or [BATCH]:
                case = Case('forward', 'eager', 'float32', size, batch)
                found = compared(_group(name), case, options, sources, APPROACH)
                yield from ({'model': name} | row for row in found)


def _group(name: str) -> list[str]:
    """Return the forms of a model as ``source:name``, the eager one first."""
    if name in CLASSIFIERS:
        return [f'{source}:{name}' for source in ('ours', *FORMS)]
    return [f'config:{name}', *(f'config_{form}:{name}' for form in FORMS)]
