"""Every runtime on a CPU in float32: eager, fused, compiled, ONNX Runtime and OpenVINO.

All forms of a model take turns in one run, and are timed only if they answer alike. Classifiers
have random weights; detectors and segmentors are configs, as one graph from images to boxes or
logits, with the weights that come with the package.
"""

from argparse import Namespace
from collections.abc import Iterator

import torch

from vitbackbones.errors import InputError
from vitbackbones.results.benchmark.comparing import Case, compared

from .command import add_models, start
from .sources import SOURCES

FORMS = ('fused', 'compiled', 'onnxruntime', 'openvino')
# model: side of its images
CLASSIFIERS = dict.fromkeys(('aug_vit_s', 'msf_vit_s', 'sret_t', 'tnt_s'), 224)
CONFIGS = dict.fromkeys(('detr_aug_vit_s_shapes', 'setr_mla_msf_vit_ti_shapes'), 128)
SIDES = CLASSIFIERS | CONFIGS
# unmeasured calls before each timed one, as five forms have five copies of the weights
APPROACH = 1


def rows(options: Namespace) -> Iterator[dict]:
    """Yield a row for every model and form."""
    options.features, options.device = False, torch.device('cpu')
    for name in options.models or SIDES:
        if name not in SIDES:
            raise InputError(f'{name}: not in the suite; it has {", ".join(SIDES)}')
        sources = ['ours', *FORMS]
        if name in CONFIGS:
            sources = ['config', *(f'config_{form}' for form in FORMS)]
        group = [f'{source}:{name}' for source in sources]
        case = Case('forward', 'eager', 'float32', (SIDES[name], SIDES[name]), 1)
        for row in compared(group, case, options, SOURCES, APPROACH):
            yield {'model': name} | row


if __name__ == '__main__':
    start(__doc__, rows, add_models)
