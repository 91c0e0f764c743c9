"""INT8 quantization with NNCF: which matrix multiplications and convolutions run in INT8."""

import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from ..data.checks.findings import spread
from ..errors import InputError
from ..runtime import Exported
from ..runtime.runtimes import LONGEST, Requests
from ..utils.messages import in_one_line, on_terminal
from ..utils.packages import import_optional
from ..utils.processes import own_signal_stack
from .graphs import silenced
from .judges import Agreement, Validation

NNCF = 'nncf', "'vitbackbones[int8]'"
ROUNDS = 20  # evaluations by which layers are left in float32
RANKING = 50  # images that say which layer matters most
COMPUTING = ('MatMul', 'Convolution', 'GroupConvolution')
MOVING = ('Reshape', 'Transpose', 'Squeeze', 'Unsqueeze', 'Split', 'VariadicSplit', 'Gather')


def quantized(
    graph: Any,
    items: Sequence,
    read: Callable[[Any], np.ndarray],
    smooth: bool = True,
    **control: Any,
) -> Any:
    """Return a graph of OpenVINO in 8 bits.

    Args:
        graph: in float32.
        items: of which ``read`` makes what the graph takes; ranges are read on them.
        smooth: whether channels with large values are divided before a product, and its weights
            multiplied in turn (Xiao et al., "SmoothQuant", ICML 2023). It serves transformers with
            outliers; of windowed attention NNCF makes wrong answers with it.
        control: what NNCF needs beside to leave layers in float32; by default it leaves none.

    Raises:
        InputError: NNCF is not installed or has no 8-bit form of the graph.
    """
    nncf = import_optional(*NNCF)
    quantize = nncf.quantize_with_accuracy_control if control else nncf.quantize
    how = {'model_type': nncf.ModelType.TRANSFORMER, 'preset': nncf.QuantizationPreset.MIXED}
    how |= {'subset_size': len(items)} | control
    if not smooth:
        off = nncf.AdvancedSmoothQuantParameters(convolution=-1, matmul=-1)
        how['advanced_parameters'] = nncf.AdvancedQuantizationParameters(smooth_quant_alphas=off)
    try:
        # it shows its progress
        with own_signal_stack(), nullcontext() if on_terminal() else silenced():
            return quantize(graph, nncf.Dataset(items, read), **how)
    except InputError:
        raise
    except Exception as error:  # of many kinds
        raise InputError(
            f'NNCF cannot quantize this model: {in_one_line(error, LONGEST)}'
        ) from error


def accuracy_control(
    exported: Exported, judge: Validation | Agreement, max_drop: float
) -> dict[str, Any]:
    """Return what NNCF needs to find the layers that stay in float32.

    The layer that matters most is the one in float32 with which most answers are those of
    ``exported``, on some of the pictures. Whether that is enough is said by the judge, on all.
    """
    nncf = import_optional(*NNCF)
    agreement = Agreement(exported, [judge.files[i] for i in spread(len(judge.files), RANKING)])
    console = sys.stdout  # of NNCF itself nothing may be shown

    def validate(model: Any, files: Iterable[Path]) -> tuple[float, list[float]]:
        trial = exported.running(Requests(model))
        counts = [agreement.count(trial, file) for file in files]
        shares = [count.equal / max(count.total, 1) for count in counts]
        if len(shares) < len(agreement.files):
            return sum(shares) / len(shares), shares
        value = judge.score(trial)
        print(f'tried: {judge.metric} {value:.4f}', file=console, flush=True)
        return value, shares

    limits = nncf.AdvancedAccuracyRestorerParameters(
        max_num_iterations=ROUNDS,
        ranking_subset_size=max(1, len(agreement.files) // 2),
        num_ranking_workers=1,
    )
    return {
        'max_drop': max_drop,
        'validation_dataset': nncf.Dataset(agreement.files),
        'validation_fn': validate,
        'advanced_accuracy_restorer_parameters': limits,
    }


def in_float32(graph: Any) -> list[str]:
    """Return the names of products and convolutions whose inputs are not in 8 bits."""
    return [
        node.get_friendly_name()
        for node in graph.get_ops()
        if node.get_type_name() in COMPUTING and not _is_in_int8(node.input_value(0).get_node())
    ]


def _is_in_int8(node: Any) -> bool:
    """Return whether what a node gives is in 8 bits, moved about or not."""
    while node.get_type_name() in MOVING:
        node = node.input_value(0).get_node()
    return node.get_type_name() == 'FakeQuantize'
