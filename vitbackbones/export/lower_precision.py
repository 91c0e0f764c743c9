"""Graphs in INT8 and bfloat16, evaluated with the metric of the task and compared with float32.

NNCF reads the range of every tensor on training images and lets matrix multiplications and
convolutions compute in 8 bits. LayerNorm, softmax and whatever else its rules for transformers name
stay in float32. The ranges fit the images that they were read on, so these never judge the file.
"""

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ..data.checks.findings import spread
from ..data.loading.load_image import read_image
from ..errors import InputError
from ..runtime import Exported, load
from ..runtime.card import Card
from ..runtime.model import LACKING, has_bfloat16
from ..runtime.runtimes import LONGEST, Requests, start_openvino
from ..utils.messages import named_errors, on_terminal
from ..utils.packages import import_optional
from ..utils.processes import own_signal_stack
from .formats import silenced
from .judges import (
    Agreement,
    Validation,
    choose,
    require_others,
    require_seen,
    score_in_float32,
)
from .judges import pictures_of as pictures_of  # its place in 1.0, as export.int8

NNCF = 'nncf', "'vitbackbones[int8]'"
ROUNDS = 20  # evaluations by which layers are left in float32
RANKING = 50  # images that say which layer matters most
COMPUTING = ('MatMul', 'Convolution', 'GroupConvolution')
MOVING = ('Reshape', 'Transpose', 'Squeeze', 'Unsqueeze', 'Split', 'VariadicSplit', 'Gather')


@dataclass(frozen=True, kw_only=True)
class Int8:
    """How a graph is brought to 8 bits.

    Attributes:
        pictures: files that ranges are read on, at most :data:`.judges.ENOUGH`, evenly chosen.
        judge: made of the exported file in float32; its ``score`` of a file is its ``metric``, from
            0 to 1, on its ``files``.
        max_drop: what the metric may lose at most, absolute.
        control: whether layers are left in float32 until no more is lost: the one that matters
            most, at most :data:`ROUNDS` times.

    Raises:
        InputError: NNCF is not installed, or pictures are too few.
    """

    pictures: Sequence[Path]
    judge: Callable[[Exported], Validation | Agreement]
    max_drop: float = 0.01
    control: bool = False

    def __post_init__(self) -> None:
        import_optional(*NNCF)
        object.__setattr__(self, 'pictures', choose(self.pictures))


def to_int8(file: Path, settings: Int8) -> Card:
    """Bring an exported file to 8 bits in its place, and return its card with the proof.

    Args:
        file: for OpenVINO, in float32; its card lies beside it.
        settings: how.

    Raises:
        InputError: NNCF has no 8-bit form of the graph, pictures are those that it is judged by, or
            the metric loses too much.
    """
    openvino = import_optional('openvino', 'openvino')
    chosen = settings.pictures
    exported = load(file)
    judge = settings.judge(exported)
    require_others(chosen, judge.files)
    require_seen(exported, chosen)
    before = score_in_float32(judge, exported)

    control = accuracy_control(exported, judge, settings.max_drop) if settings.control else {}
    whole = openvino.Core().read_model(str(file))
    card = exported.card

    def read(file: Path) -> np.ndarray:
        """Return what the graph takes of a picture; where windows slide, the one in the middle."""
        given = exported.parts(exported.prepare(read_image(str(file))).image[None])
        return given[len(given) // 2].repeat(card.input.shape[0] or 1, axis=0)

    with TemporaryDirectory(dir=file.parent) as folder:
        made = Path(folder, file.name)
        for smooth in (True, False):
            graph = quantized(whole.clone(), chosen, read, smooth, **control)
            openvino.save_model(graph, str(made), compress_to_fp16=False)
            card.write(made)
            after = judge.score(load(made))
            if before - after <= settings.max_drop:
                break
        else:
            other = '' if settings.control else '--accuracy-control, or '
            raise InputError(
                f'INT8 lowers {judge.metric} from {before:.4f} to {after:.4f} on '
                f'{len(judge.files)} images, more than --max-drop {settings.max_drop:g} allows; '
                f'no file was written. Try {other}more images for --calibrate'
            )
        for part in Path(folder).iterdir():
            os.replace(part, file.with_name(part.name))
    proof = {
        'metric': judge.metric,
        'float32': before,
        'int8': after,
        'pictures': len(judge.files),
        'calibrated_on': len(chosen),
        'in_float32': in_float32(graph),
    }
    return replace(card, int8=proof)


# ------------------------------------------------------------------------ what NNCF is asked for


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
    quiet = nullcontext() if on_terminal() else silenced()  # it shows its progress
    with named_errors('NNCF cannot quantize this model', LONGEST), own_signal_stack(), quiet:
        return quantize(graph, nncf.Dataset(items, read), **how)


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


# ------------------------------------------------------------------------ bfloat16


MOST_DROP = 0.005  # by default


def require_bfloat16() -> None:
    """Check that what bfloat16 costs can be measured here.

    Raises:
        InputError: the processor has no bfloat16.
    """
    if not has_bfloat16():
        raise InputError(f'--precision bf16: {LACKING}, so the loss cannot be measured here')


def prove_bfloat16(
    file: Path, judge: Callable[[Exported], Validation | Agreement], max_drop: float = MOST_DROP
) -> Card:
    """Return the card of a file with what it loses in bfloat16; the file stays as it is.

    Args:
        file: for OpenVINO, in float32; its card lies beside it.
        judge: as that of :class:`Int8`.
        max_drop: what the metric may lose at most, absolute.

    Raises:
        InputError: the processor has no bfloat16, or the metric loses too much.
    """
    require_bfloat16()
    exported = load(file, precision='f32')
    scorer = judge(exported)
    before = score_in_float32(scorer, exported)
    after = scorer.score(exported.running(start_openvino(file, precision='bf16').run))
    if not before - after <= max_drop:
        raise InputError(
            f'bf16 lowers {scorer.metric} from {before:.4f} to {after:.4f} on '
            f'{len(scorer.files)} images, more than --max-drop {max_drop:g} allows'
        )
    proof = {'metric': scorer.metric, 'float32': before, 'bf16': after}
    return replace(exported.card, bf16=proof | {'pictures': len(scorer.files)})
