"""Graphs in 8 bits, judged by the task's own metric beside the graph in float32.

NNCF reads the range of every tensor on training pictures and lets matrix products and convolutions
compute in whole numbers. LayerNorm, softmax and whatever else its rules for transformers name stay
in float32. The ranges fit the pictures that they were read on, so a file is never judged by these.
"""

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from mmengine.config import Config
from mmengine.registry import DATASETS, init_default_scope

from ..configuration.data_paths import datasets
from ..data.checks.findings import spread
from ..data.loading.load_image import read_image
from ..errors import InputError
from ..runtime import Exported, load
from ..runtime.answers import Answer, Classified, Segmented
from ..runtime.card import Card, digest
from ..runtime.runtimes import LONGEST, Requests
from ..training.console import QuietRunner
from ..utils.messages import in_one_line, on_terminal
from ..utils.packages import import_optional
from ..utils.processes import own_signal_stack
from ..weights.read.class_names import require_same_names
from .graphs import silenced
from .in_test import use_exported

NNCF = 'nncf', "'vitbackbones[int8]'"
ENOUGH = 300  # pictures; more hardly change a range
FEWEST = 16
ROUNDS = 20  # evaluations by which layers are left in float32
RANKING = 50  # pictures that say which layer matters most
# What a task is judged by: the first of these that its metrics give, and what it is divided by
METRICS = {
    'coco_panoptic/PQ': 100,
    'coco/segm_mAP': 1,
    'coco/bbox_mAP': 1,
    'mIoU': 100,
    'accuracy/top1': 100,
}
COMPUTING = ('MatMul', 'Convolution', 'GroupConvolution')
MOVING = ('Reshape', 'Transpose', 'Squeeze', 'Unsqueeze', 'Split', 'VariadicSplit', 'Gather')
SURE = 0.3  # score from which an object of the graph in float32 has to be found again
NOTHING = -1  # beside the labels of a detector
SAME = 0.5  # IoU of the boxes of one object


@dataclass(frozen=True, kw_only=True)
class Int8:
    """How a graph is brought to 8 bits.

    Attributes:
        pictures: files that ranges are read on; of more than :data:`ENOUGH` an even choice.
        judge: made of the exported file in float32; its ``score`` of a file is its ``metric``, from
            0 to 1, on its ``files``.
        max_drop: what the metric may lose at most, absolute.
        control: whether layers are left in float32 until no more is lost, at most :data:`ROUNDS`
            times the one that matters most.
    """

    pictures: Sequence[Path]
    judge: 'Callable[[Exported], Validation | Agreement]'
    max_drop: float = 0.01
    control: bool = False


# ------------------------------------------------------------------------ pictures


def pictures_of(config: Config, split: str) -> list[Path]:
    """Return the picture files of the data sets of a split, in their order.

    Raises:
        InputError: they are not files of their own, as in tar shards.
    """
    init_default_scope(config.default_scope)
    files = []
    for place, dataset in datasets(config, (split,)):
        with silenced():  # COCO's reader prints
            built = DATASETS.build({**dataset, 'pipeline': []})
            built.full_init()
        paths = [built.get_data_info(i).get('img_path') for i in range(len(built))]
        if not all(paths):
            raise InputError(f'{place}: its pictures are no files; name class folders, not shards')
        files += map(Path, paths)
    return files


def _chosen(files: Sequence[Path]) -> list[Path]:
    """Return at most :data:`ENOUGH` files, spread evenly.

    Raises:
        InputError: they are too few.
    """
    if len(files) < FEWEST:
        raise InputError(
            f'--calibrate: {len(files)} pictures are too few to read ranges on; '
            f'give {FEWEST} or more, best {ENOUGH}'
        )
    return [files[i] for i in spread(len(files), ENOUGH)]


def _require_others(calibration: Sequence[Path], judged: Sequence[Path]) -> None:
    """Refuse pictures that the file is judged by, also copies of them."""
    sizes = {file.stat().st_size for file in calibration}
    digests = {digest(file): file for file in calibration}
    for file in judged:
        if file.stat().st_size in sizes and (same := digests.get(digest(file))):
            raise InputError(
                f'--calibrate: {same} is one of the pictures that the file is judged by ({file}); '
                'give training pictures'
            )


def _require_seen(exported: Exported, files: Sequence[Path]) -> None:
    """Refuse pictures on which the model tells nothing apart, as those of another task or masks."""
    seen = {NOTHING} if exported.card.task == 'detection' else set()
    for file in files:
        seen.update(_labels(exported.predict(read_image(str(file)))))
        if len(seen) > 1:
            return
    raise InputError(
        f'--calibrate: on all {len(files)} pictures, such as {files[0]}, the model sees the '
        'same or nothing; give pictures as it was trained on'
    )


# ------------------------------------------------------------------------ judges


class Validation:
    """Judges by the metric of a config on its test set.

    Args:
        exported: the file in float32.
        config: its test set is there; no model of it is built.
        work_dir: a folder for what a run writes.
    """

    def __init__(self, exported: Exported, config: Config, work_dir: str) -> None:
        self.files = pictures_of(config, 'test')
        config = use_exported(config, str(exported.file))
        config.update(work_dir=work_dir, load_from=None, resume=False)
        with silenced():
            self.runner = QuietRunner.from_cfg(config)
        self.metric = 'unknown until it was measured'

    def score(self, exported: Exported) -> float:
        """Evaluate an exported file.

        Raises:
            InputError: the test set has other classes, or the metrics give none of
                :data:`METRICS`.
        """
        classes = self.runner.test_loop.dataloader.dataset.metainfo.get('classes')
        require_same_names(exported.card.classes, classes, exported.card.name)
        self.runner.model.exported = exported
        with silenced():
            found = self.runner.test()
        name = next((name for name in METRICS if name in found), None)
        if name is None:
            raise InputError(
                f'test_evaluator: its metrics give {", ".join(found) or "no number"}, and int8 is '
                f'judged by one of {", ".join(METRICS)}'
            )
        self.metric, value = name, float(found[name]) / METRICS[name]
        if not 0 <= value <= 1:  # of nothing AP is -1, and IoU not a number
            raise InputError(f'test_evaluator: {name} is {value:g}: nothing to find is annotated')
        return value


class Agreement:
    """Judges by how many answers are those of the graph in float32, where no truth is known."""

    metric = 'agreement with float32'

    def __init__(self, exported: Exported, files: Sequence[Path]) -> None:
        self.files = files
        self.wanted = {file: exported.predict(read_image(str(file))) for file in files}

    def score(self, exported: Exported) -> float:
        """Return the share of equal classes or pixels, or of objects that are found again."""
        equal, all_ = np.sum([self.count(exported, file) for file in self.files], 0)
        if all_ == 0:
            raise InputError('--images: the model finds nothing on them, so nothing can be judged')
        return float(equal / all_)

    def count(self, exported: Exported, file: Path) -> tuple[int, int]:
        """Return how many of these are found again on one picture, and how many there are."""
        return _agreeing(exported.predict(read_image(str(file))), self.wanted[file])


def _labels(answer: Answer) -> np.ndarray:
    """Return the labels of a picture, of its pixels, or of its sure objects."""
    if isinstance(answer, Classified):
        return answer.scores.argmax(keepdims=True)
    if isinstance(answer, Segmented):
        return np.unique(answer.labels)
    if answer.boxes is None:
        return np.unique(answer.segments)
    return answer.labels[answer.scores >= SURE]


def _agreeing(found: Answer, wanted: Answer) -> tuple[int, int]:
    """Return how many parts of an answer are those of another, and how many it has."""
    if isinstance(wanted, Classified):
        return int(found.scores.argmax() == wanted.scores.argmax()), 1
    if isinstance(wanted, Segmented) or wanted.boxes is None:
        name = 'labels' if isinstance(wanted, Segmented) else 'segments'
        given, own = getattr(found, name), getattr(wanted, name)
        return int(np.count_nonzero(given == own)), own.size
    from mmdet.evaluation import bbox_overlaps  # here: heavy, and only detectors need it

    sure = wanted.scores >= SURE
    same = found.labels[:, None] == wanted.labels[sure]  # (M, K)
    near = same & (bbox_overlaps(found.boxes, wanted.boxes[sure]) >= SAME)
    return int(near.any(0).sum()), int(sure.sum())


# ------------------------------------------------------------------------ the graph


def to_int8(file: Path, settings: Int8) -> Card:
    """Bring an exported file to 8 bits in its place, and return its card with the proof.

    Args:
        file: for OpenVINO, in float32; its card lies beside it.
        settings: how.

    Raises:
        InputError: NNCF is not installed or has no 8-bit form of the graph, pictures are too few or
            those that it is judged by, or the metric loses too much.
    """
    openvino = import_optional('openvino', 'openvino')
    import_optional(*NNCF)
    chosen = _chosen(settings.pictures)
    exported = load(file)
    judge = settings.judge(exported)
    _require_others(chosen, judge.files)
    _require_seen(exported, chosen)
    before = judge.score(exported)

    control = _control(exported, judge, settings.max_drop) if settings.control else {}
    whole = openvino.Core().read_model(str(file))
    read, card = partial(_input, exported), exported.card
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
                f'in 8 bits {judge.metric} is {after:.4f} on {len(judge.files)} pictures, and '
                f'{before:.4f} in float32: more than --max-drop {settings.max_drop:g} is lost, so '
                f'nothing was kept. Try {other}more pictures for --calibrate'
            )
        for part in Path(folder).iterdir():
            os.replace(part, file.with_name(part.name))
    proof = {
        'metric': judge.metric,
        'float32': before,
        'int8': after,
        'pictures': len(judge.files),
        'calibrated_on': len(chosen),
        'in_float32': _in_float32(graph),
    }
    return replace(card, int8=proof)


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
        raise InputError(f'NNCF has no 8-bit form of it: {in_one_line(error, LONGEST)}') from error


def _control(exported: Exported, judge: Validation | Agreement, max_drop: float) -> dict[str, Any]:
    """Return what NNCF needs to find the layers that stay in float32.

    The layer that matters most is the one in float32 with which most answers are those of
    ``exported``, on some of the pictures. Whether that is enough is said by the judge, on all.
    """
    nncf = import_optional(*NNCF)
    ranking = spread(len(judge.files), RANKING)
    agreement = Agreement(exported, [judge.files[i] for i in ranking])
    console = sys.stdout  # of NNCF itself nothing may be shown

    def validate(model: Any, files: Iterable[Path]) -> tuple[float, list[float]]:
        trial = exported.running(Requests(model))
        counts = [agreement.count(trial, file) for file in files]
        shares = [equal / max(all_, 1) for equal, all_ in counts]
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


def _input(exported: Exported, file: Path) -> np.ndarray:
    """Return what the graph takes of a picture; where windows slide, the one in the middle."""
    given = exported.parts(exported.prepare(read_image(str(file))).image[None])
    return given[len(given) // 2].repeat(exported.card.input.shape[0] or 1, axis=0)


def _in_float32(graph: Any) -> list[str]:
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
