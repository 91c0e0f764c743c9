"""Models side by side, in every case that is asked for; the first is the unit of ratio.

    python -m benchmarks.compare ours:sret_t fused:sret_t --batch 8
    python -m benchmarks.compare ours:sret_t ours:sret_t,groups=None ours:sret_t,passes=1
    python -m benchmarks.compare timm:deit_small_patch16_224 ours:deit_s --step forward train
    python -m benchmarks.compare plain:sret_t ours:sret_t onnxruntime:sret_t --batch 8
    python -m benchmarks.compare mmdet:retinanet_pvt-s_fpn_1x_coco ours:pvt_s --features \\
        --size 512 800x1333 --precision bfloat16 --engine compiled --out pvt.csv

ours:NAME[,KEY=VALUE ...] is a model of ours, fused:NAME after fuse_for_inference (fused_bf16:NAME
in bfloat16), compiled:NAME and compiled_bf16:NAME the same with compile=True, which takes a minute.
plain:NAME is written straight from the equations, as the tests have it; onnxruntime:NAME and
openvino:NAME are the folded form in that runtime; config:CONFIG is a whole detector or segmentor;
timm:NAME and mmpretrain:NAME are theirs, mmdet:CONFIG the backbone of one of its configs.

Weights and images are random. Every case starts with unmeasured rounds, then the models take turns,
in timm's protocol; times are wall clock, synchronized on CUDA, and the median counts. A training
step is forward, loss, backward and an SGD step. peak_MiB is the most tensor memory of one step
above what was there before it. Batch 1 gives the latency; OMP_NUM_THREADS sets the threads.
"""

from argparse import Namespace
from collections.abc import Iterator

from vitbackbones.errors import InputError

from .command import Add, add_cases, start
from .comparing import cases, compared
from .sources import SOURCES


def rows(options: Namespace) -> Iterator[dict]:
    """Yield a row for every case and model.

    Raises:
        InputError: a model is unknown, named twice or cannot run a case.
    """
    if len(set(options.models)) < len(options.models):
        raise InputError('a model is named twice')
    for case in cases(options, {(224, 224): (1, 8)}):
        yield from compared(options.models, case, options, SOURCES)


def add_models(add: Add) -> None:
    add('models', nargs='+', metavar='MODEL', help=f'{":NAME, ".join(SOURCES)}:NAME')
    add('--features', action='store_true', help="compare backbones' maps in place of logits")


if __name__ == '__main__':
    start(__doc__, rows, add_models, add_cases)
