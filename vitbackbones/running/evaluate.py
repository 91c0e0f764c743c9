"""Testing: a checkpoint is measured with the metrics of its config, drawn and reported.

An exported file in the place of the checkpoint is measured in the same way.
"""

import shlex
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from mmengine.config import Config
from tqdm import tqdm

from ..analysis.run_log import metrics_of
from ..configuration.data_paths import datasets
from ..configuration.image_size import size_line, size_of_training, with_size
from ..configuration.names import config_name
from ..configuration.read import read_config
from ..drawing.sheet import save_samples
from ..errors import InputError, printable
from ..export.judges import Validation
from ..export.lower_precision import prove_bfloat16
from ..inference.configured import graph_of
from ..inference.request import ModelRequest
from ..preparing.explain import explained
from ..reports.page import facts, write_page
from ..reports.thresholds import Promise
from ..runtime.cache import Graphs
from ..runtime.card import Card, Threshold, read_threshold, write_threshold
from ..runtime.runtimes import is_exported
from ..tasks import find_task
from ..training.console import EvaluatingRunner
from ..training.distributed import use_device
from ..training.find_checkpoint import find_checkpoint
from ..utils.messages import on_terminal, plural, show_warnings
from ..utils.packages import import_optional
from ..utils.processes import process_rank
from ..weights.read.class_names import require_same_names
from ..weights.trained import trained_weights
from .prepare_test import prepare
from .request import TestRequest
from .result import TestResult

NUMBERS = (float, int, np.floating)  # mmseg's are float32
NOTHING = '-'  # in the place of a number that pycocotools has not
DIGITS = {'mmseg': 2}  # behind the point, to which a toolbox rounds its metrics; otherwise 3


def run_test(request: TestRequest) -> TestResult:
    """Test as a request says, and print the metrics.

    Raises:
        InputError: something of the user's is wrong; before anything is built where possible.
    """
    _require_promisable(request)
    use_device(request.device, request.launcher)
    tested = measure(request)
    result = TestResult(
        work_dir=Path(tested.config.work_dir),
        checkpoint=tested.checkpoint,
        metrics={k: float(v) for k, v in tested.metrics.items() if isinstance(v, NUMBERS)},
    )
    if process_rank():
        return result
    print(printable(table(result.metrics, tested.digits)))  # it may name classes of any file
    result = replace(result, metrics_on_val=_validated(tested.config, tested.checkpoint))
    if result.metrics_on_val:
        print('on val, which selected the best checkpoint, from the log of the run:')
        print(printable(table(result.metrics_on_val, tested.digits)))
    if request.draw:
        result = replace(result, drawn=draw(tested, request))
    if request.report:
        result = replace(result, report=report(tested, request, result))
    return result


@dataclass(frozen=True)
class Tested:
    """A test that is done.

    Attributes:
        config: with which it was run.
        checkpoint: that was tested.
        runner: that has the model and the images.
        metrics: of the test.
        mistakes: what a report tells of the predictions; None without ``--report``.
    """

    config: Config
    checkpoint: Path
    runner: EvaluatingRunner
    metrics: dict[str, float]
    mistakes: Any

    @property
    def digits(self) -> int:
        """To how many digits behind the point its metrics are written."""
        return DIGITS.get(self.config.default_scope, 3)


def measure(request: TestRequest) -> Tested:
    """Predict the images of the test split, and measure that."""
    config = read_config(request.config)
    is_given = request.size is not None
    if not is_given and not request.exported:
        checkpoint = find_checkpoint(request.checkpoint, 'CHECKPOINT')
        request = replace(request, size=size_of_training(config, checkpoint))
    config = with_size(config, request.size)
    if config.default_scope != 'mmdet' and (request.faster_coco or request.promised):
        option = '--faster-coco' if request.faster_coco else '--precision'
        raise InputError(f'{option}: is only for detectors, which have COCO metrics')
    if request.size and process_rank() == 0:
        print(size_line(config, request.size, is_given))
    is_graph = not request.exported
    request = _with_graph(request)
    config = prepare(config, request)
    if request.computed == 'bf16' and is_graph:
        if not request.exported:
            raise InputError('--precision bf16: requires a graph, and torch runs this model')
        _prove(config, Path(request.checkpoint))
    task = find_task(config)
    if request.faster_coco:
        import_optional('faster_coco_eval', 'faster-coco-eval')
    with explained(config):
        runner = EvaluatingRunner.from_cfg(config)
        if request.exported:
            # only now are the classes of the data known: they may be folders
            own = runner.test_loop.dataloader.dataset.metainfo.get('classes')
            require_same_names(Card.read(request.checkpoint).classes, own, request.checkpoint)
        mistakes = None
        if request.report:  # it reads along
            mistakes = task.report(runner.test_loop, request.num_pictures, request.score_threshold)
        metrics = runner.test()
    checkpoint = Path(runner.cfg.load_from or request.checkpoint)
    return Tested(config, checkpoint, runner, metrics, mistakes)


def _with_graph(request: TestRequest) -> TestRequest:
    """Return a request for the graph of a model, where a runtime computes it."""
    if request.exported:
        return request
    if request.runtime == 'torch':
        if request.computed not in ('auto', 'f32'):
            raise InputError(f'--precision {request.computed}: requires --runtime auto or openvino')
        return request
    if request.launcher != 'none' or request.tta:
        other = '--tta' if request.tta else '--launcher'
        raise InputError(
            f'--runtime {request.runtime}: does not support {other}; remove one of the two'
        )
    graph = graph_of(ModelRequest.of(request, precision=request.computed))
    return replace(request, checkpoint=str(graph), size=None, device=None) if graph else request


def _prove(config: Config, graph: Path) -> None:
    """Measure what a graph of the cache loses in bfloat16, and note it in its card for predict."""
    if Card.read(graph).bf16:
        return
    print('measuring bf16 and f32 on the test set')
    # the visualizer of the first runner of a process serves the next one, so its folder stays
    judge = partial(Validation, config=config, work_dir=config.work_dir)
    card = prove_bfloat16(graph, judge)
    card.write(graph)
    Graphs(graph.parent.name, graph.suffix).seal(graph.stem)


def _require_promisable(request: TestRequest) -> None:
    """Check what options that choose scores need.

    Raises:
        InputError: another option is missing, or excludes them.
    """
    if request.confidence is not None and request.promised is None:
        raise InputError('--confidence: requires --precision')
    if request.promised is not None and not request.report:
        raise InputError('--precision: requires --report')
    if request.promised is not None and request.tta:
        raise InputError('--precision: predict does not support --tta; remove one of the two')


def draw(tested: Tested, request: TestRequest) -> Path:
    """Draw predictions beside the ground truth; return the file that shows all of them."""
    least = request.score_threshold
    if least is None:
        least = (read_threshold(tested.checkpoint) or Threshold()).score
    model = getattr(tested.runner.model, 'module', tested.runner.model)
    dataset = tested.runner.test_dataloader.dataset
    drawn = find_task(tested.config).draw(model, dataset, request.num_pictures, least)
    files = save_samples(drawn, Path(request.draw))
    *pictures, sheet = tqdm(files, desc='draw', leave=False, disable=not on_terminal())
    print(f'{plural(len(pictures), "image")} in {sheet.parent}, all of them in {sheet}')
    return sheet.absolute()


def report(tested: Tested, request: TestRequest, result: TestResult) -> Path:
    """Write a page of the scores and the mistakes; keep the threshold that it has chosen."""
    settings = tested.runner.cfg
    on_val = numbers(result.metrics_on_val, tested.digits)
    page = write_page(
        Path(request.report).expanduser(),
        f'{config_name(settings.filename)}: {tested.checkpoint.name}',
        numbers(result.metrics, tested.digits) | {f'{k} on val': v for k, v in on_val.items()},
        tested.mistakes.sections(),
        facts(settings, tested.checkpoint, len(tested.runner.test_dataloader.dataset)),
    )
    print(f'report: {page}')
    if request.promised is not None:
        refused = tested.mistakes.keep(Promise(request.promised, request.confidence or 0.9))
        show_warnings([f'predict will show no objects of {each}' for each in refused])
    chosen = tested.mistakes.chosen
    is_exported_file = is_exported(tested.checkpoint)
    if chosen and not request.tta and (request.promised is not None or not is_exported_file):
        print(printable(f'score threshold: {chosen}'))
        _keep_threshold(tested.checkpoint, chosen, page.parent)
    return page.absolute()


def _keep_threshold(checkpoint: Path, threshold: Threshold, report: Path) -> None:
    """Write a threshold beside its weights; where that may not be, beside the report."""
    reason = 'weights in the package are never changed'
    if is_exported(checkpoint):
        reason = 'the threshold of an exported file is in its metadata file'
    elif checkpoint not in trained_weights().values():
        try:
            print(f'predict and export will read it from {write_threshold(checkpoint, threshold)}')
            return
        except InputError as error:  # such as a disk that is read-only
            reason = str(error)
    place = write_threshold(checkpoint, threshold, report)
    option = shlex.join(['--score-threshold', str(place)])
    show_warnings([f'{reason}. To use the threshold, add {option} to predict'])


def table(metrics: dict, digits: int = 3) -> str:
    """Write the metrics that are numbers, one line each.

    >>> print(table({'coco/bbox_mAP': 0.357, 'coco/bbox_mAP_50': 0.567}))
    coco/bbox_mAP      0.357
    coco/bbox_mAP_50   0.567
    """
    written = numbers(metrics, digits)
    width = max(map(len, written), default=0)
    return '\n'.join(f'{name:<{width}}  {value:>6}' for name, value in written.items())


def numbers(metrics: dict, digits: int) -> dict[str, str]:
    """Write the metrics that are numbers."""
    return {
        # COCO's are -1 where there are no such objects
        name: NOTHING if name.startswith('coco/') and value == -1 else f'{value:.{digits}f}'
        for name, value in metrics.items()
        if isinstance(value, NUMBERS)
    }


def _validated(config: Config, checkpoint: Path) -> dict:
    """Return what a run has measured of a checkpoint, if that was on others than are tested."""
    places = [
        [(each.get('ann_file'), each.get('data_prefix')) for _, each in datasets(config, (split,))]
        for split in ('val', 'test')
    ]
    return metrics_of(checkpoint) if places[0] != places[1] else {}
