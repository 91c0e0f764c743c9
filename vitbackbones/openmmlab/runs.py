"""What patches put in the place of functions that go wrong in a run.

mmengine imports this file with its own parts, so it imports nothing of mmengine.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, partial
from importlib.util import find_spec
from threading import RLock
from typing import NoReturn

import numpy as np

from .logs import log_or_print


def take_none(load: Callable, self, results: list[dict] | np.ndarray | str):
    """Let ``COCO.loadRes`` take an empty list, of which pycocotools reads the first entry."""
    if not isinstance(results, list) or results:
        return load(self, results)
    none = type(self)()
    none.dataset = {**self.dataset, 'annotations': []}
    none.createIndex()
    return none


EXACT = 2**53  # ids from which on a double does not hold all


def faster_coco(slower: type) -> Callable | None:
    """Return what makes evaluations by faster-coco-eval, where it is installed.

    Its curves are those of pycocotools' ``COCOeval``, ``slower``, whose ``summarize`` takes the
    numbers from them: its own takes AP from more than 100 detections of an image. It takes ids for
    doubles, so ``slower`` evaluates sets with other ids.
    """
    if not find_spec('faster_coco_eval'):
        return None

    def make(cocoGt=None, cocoDt=None, iouType='segm'):
        ids = [] if cocoGt is None else [*cocoGt.imgs, *cocoGt.cats, *cocoGt.anns]
        if not all(isinstance(key, int) and abs(key) < EXACT for key in ids):
            return slower(cocoGt, cocoDt, iouType)
        from faster_coco_eval import COCOeval_faster  # here: where it is patched, imports may wait

        evaluation = COCOeval_faster(cocoGt, cocoDt, iouType, print_function=log_or_print)
        evaluation.summarize = partial(slower.summarize, evaluation)
        return evaluation

    return make


@contextmanager
def told_of_evaluations(note: Callable) -> Iterator[None]:
    """Let mmdet's ``CocoMetric`` show its evaluations before it uses them.

    Args:
        note: is called with an evaluation, its ground truth, and ``'bbox'`` or ``'segm'``.
    """
    from unittest.mock import patch  # takes a while

    from mmdet.evaluation.metrics import coco_metric

    make = coco_metric.COCOeval

    def make_and_tell(annotations, results, kind):
        evaluation = make(annotations, results, kind)
        note(evaluation, annotations, kind)
        return evaluation

    with patch.object(coco_metric, 'COCOeval', make_and_tell):
        yield


KEPT = 4  # texts; a run has one or two


def lay_out_once(format_code: Callable) -> Callable:
    """Remember the layout of the last texts; ``format_code`` is yapf's ``FormatCode``."""

    @lru_cache(maxsize=KEPT)
    def laid_out(text: str, style: tuple, options: tuple):
        return format_code(text, style_config=dict(style), **dict(options))

    def format_code_once(unformatted_source: str, style_config=None, **options):
        if not isinstance(style_config, dict):  # a name or a file, as others than mmengine give
            return format_code(unformatted_source, style_config=style_config, **options)
        return laid_out(unformatted_source, (*style_config.items(),), (*options.items(),))

    return format_code_once


def end_with_error(original: Callable, error: Exception, batch: object) -> NoReturn:
    """End the worker where a batch cannot be handed over, in place of going on without it."""
    print(f'data worker {os.getpid()}: {error}', file=sys.stderr, flush=True)
    os._exit(1)


def set_handler_first(set_handler: Callable[[], None]) -> None:
    """Let torch set its handler of SIGCHLD now, once; with the first worker it would be late.

    torch would wrap the handler that is there then, and raise before that is asked.
    """
    set_handler()


def fill_before_building(build: Callable, self, cfg, *arguments, **options):
    """Let ``Registry.build`` fill the widths of a model; any other dict has no backbone."""
    if isinstance(cfg, Mapping) and isinstance(cfg.get('backbone'), Mapping):
        # mmengine's registries are imported before what widths are read with
        from .widths import fill_widths

        cfg = fill_widths(cfg, self)
    return build(self, cfg, *arguments, **options)


@contextmanager
def own_manager_lock() -> Iterator[None]:
    """Give mmengine's named instances a lock of this block's own.

    mmengine keeps its lock when the constructor of an instance fails, such as that of a logger
    whose file cannot be written. The thread that failed does not notice it, as the lock is
    reentrant; every other thread waits forever.
    """
    from unittest.mock import patch  # takes a while

    from mmengine.utils import manager

    with patch.object(manager, '_lock', RLock()):
        yield


def set_kind_of_device(kind: str) -> str:
    """Let ``mmengine.device.get_device`` return a kind, and return the one that it returned.

    It is a constant of that module, found at its import.
    """
    from mmengine.device import utils

    before = utils.DEVICE
    utils.DEVICE = kind
    return before
