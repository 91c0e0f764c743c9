"""Hooks for evaluation: correct images, eval mode, fused models, several processes.

mmengine's metrics pass their results to the first process through files in the current directory,
which may be read-only, or another one on each machine; a run would end at its first evaluation.
Here they go over the network, as gradients do. Running statistics are those of one process, for
all of them.
"""

from io import BytesIO
from pathlib import Path

import numpy as np
import torch
from mmengine.dist import broadcast, collect_results
from mmengine.evaluator import BaseMetric, Evaluator
from mmengine.hooks import Hook
from mmengine.model import is_model_wrapper

from ...openmmlab.fusing import fuse_model
from ...utils.files import write_file

CORRECT = 'correct.npy'  # in the work dir


class CorrectPicturesHook(Hook):
    """Writes to ``correct.npy`` whether a classifier was correct, one bool per image."""

    def before_val_epoch(self, runner) -> None:
        self.correct: list[bool] = []

    def after_val_iter(self, runner, batch_idx, data_batch=None, outputs=()) -> None:
        self.correct += [bool(each.pred_label == each.gt_label) for each in outputs]

    def after_val_epoch(self, runner, metrics=None) -> None:
        count = len(runner.val_dataloader.dataset)
        correct = collect_results(self.correct, count, device='gpu')  # over the network
        if correct is not None:  # in the first process
            content = BytesIO()
            np.save(content, correct)
            write_file(Path(runner.work_dir, CORRECT), content.getvalue())


class EvalModeHook(Hook):
    """Trains in eval mode: no dropout or stochastic depth, and running statistics stay."""

    def before_train_iter(self, runner, batch_idx, data_batch=None) -> None:
        runner.model.eval()


class FusedHook(Hook):
    """Replaces the model by its fused form before testing.

    Args:
        bfloat16: compute the backbone in bfloat16.
        compile: make one program of the backbone.
    """

    priority = 'LOWEST'  # after the hooks that load weights and exchange them for averages

    def __init__(self, bfloat16: bool = False, compile: bool = False) -> None:
        self.dtype = torch.bfloat16 if bfloat16 else None
        self.compile = compile

    def before_test_epoch(self, runner) -> None:
        model = runner.model.module if is_model_wrapper(runner.model) else runner.model
        runner.model = fuse_model(model, self.dtype, self.compile)


class GatherHook(Hook):
    """Lets metrics exchange their results over the network unless they have a ``collect_dir``."""

    def before_val(self, runner) -> None:
        self._use_network(runner.val_loop.evaluator)

    def before_test(self, runner) -> None:
        self._use_network(runner.test_loop.evaluator)

    @staticmethod
    def _use_network(evaluator: Evaluator) -> None:
        for metric in evaluator.metrics:
            collects = type(metric).evaluate is BaseMetric.evaluate  # not in a way of its own
            if collects and metric.collect_dir is None:
                metric.collect_device = 'gpu'  # mmengine's name for the network, also on CPUs


class SameStatisticsHook(Hook):
    """Gives the buffers of the first process to all others before they evaluate.

    A BatchNorm averages over the images of its own process, so that each would evaluate another
    model, none of them but the first's the one that is saved. torch's DDP sends the buffers before
    every step; while training they are not read, so that once before an evaluation is the same.
    """

    priority = 'LOW'  # after an average of the weights has taken their place

    def before_val_epoch(self, runner) -> None:
        for buffer in runner.model.buffers():
            broadcast(buffer)
