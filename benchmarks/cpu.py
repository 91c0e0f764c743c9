"""Inference on a CPU: every form of a model in torch and in other runtimes, and its rivals.

A group is one model: its eager form, which is the unit of ratio, the other forms, and the model of
timm, all in turns, and timed only if they answer alike. Classifiers have random weights. Detectors
and segmentors are configs with the weights that come with the package, as one graph from an image
of 128 x 128 to boxes or logits; what 8 bits make of them is measured by benchmarks.int8. Where the
processor emulates bfloat16 the forms in it are left out.
"""

from argparse import Namespace
from collections.abc import Iterator

from vitbackbones.errors import InputError
from vitbackbones.layers.fuse import computes_bfloat16

from .command import Add, add_cases, add_models, start
from .comparing import IN_BFLOAT16, Case, cases, compared
from .sources import SOURCES

MODELS = (
    *('deit_s', 'aug_vit_s', 'simple_vit_s', 'msf_vit_s', 'sret_t', 'sret_s', 'tnt_s', 'pvt_s'),
    *('aug_pvt_s', 'swin_t', 'msf_swin_t', 't2t_14', 'aug_t2t_14', 'mixer_b16'),
)
CONFIGS = ('detr_aug_vit_s_shapes', 'setr_mla_msf_vit_ti_shapes')
FORMS = ('fused', 'compiled', 'onnxruntime', 'openvino')
RIVALS = {
    'deit_s': 'timm:deit_small_patch16_224',
    'swin_t': 'timm:swin_tiny_patch4_window7_224',
    'tnt_s': 'timm:tnt_s_patch16_224',
}
# unmeasured calls before each timed one, as eight forms have eight copies of the weights
APPROACH = 1


def rows(options: Namespace) -> Iterator[dict]:
    """Yield a row for every model, case and form."""
    options.features = False
    for name in options.models or (*MODELS, *CONFIGS):
        if name in CONFIGS:
            found = [Case('forward', 'eager', 'float32', (128, 128), 1)]
            group = ['config', *(f'config_{form}' for form in FORMS)]
        elif name in MODELS:
            found = cases(options, {(224, 224): (8, 1)})
            group = ['ours', *FORMS, 'openvino_int8', *(IN_BFLOAT16 if computes_bfloat16() else ())]
            group = [form for form in group if form in ('ours', *(options.forms or group))]
        else:
            raise InputError(f'{name}: not in the suite; it has {", ".join((*MODELS, *CONFIGS))}')
        group = [f'{source}:{name}' for source in group]
        group += [RIVALS[name]] if name in RIVALS else []
        for case in found:
            for row in compared(group, case, options, SOURCES, APPROACH):
                yield {'model': name, 'source': row['form'].partition(':')[0]} | row


def add_forms(add: Add) -> None:
    add('--forms', nargs='+', metavar='FORM', help='of classifiers (default: all; eager is always)')


if __name__ == '__main__':
    start(__doc__, rows, add_models, add_cases, add_forms)
