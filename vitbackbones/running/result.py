"""The results of a training and a test."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from mmengine.logging import MessageHub

from ..analysis.run_log import LOGS, NO_METRICS
from ..training.find_checkpoint import best_checkpoints, latest_checkpoint
from ..training.hooks.curves import PICTURE


@dataclass(frozen=True)
class TrainResult:
    """The result of a training.

    Attributes:
        work_dir: of the run.
        metrics: of the last evaluation, by name; empty without one.
        checkpoint: the latest; None where none was saved.
        best: the checkpoint that did best in an evaluation, None without
            ``default_hooks.checkpoint.save_best``.
        log: losses, learning rates and metrics, a JSON object per line.
        curves: an image of them.
    """

    work_dir: Path
    metrics: dict[str, float]
    checkpoint: Path | None
    best: Path | None
    log: Path | None
    curves: Path | None


@dataclass(frozen=True)
class TestResult:
    """The result of a test.

    Attributes:
        work_dir: of the test.
        checkpoint: what was tested, a file of weights or an exported file.
        metrics: those that are numbers, by name; -1 of COCO where there are no such objects.
        metrics_on_val: of the same checkpoint on the validation split, as its run has logged them;
            empty where nothing is known, or where that is the split of the test.
        drawn: the sheet of ``draw``.
        report: the page of ``report``.
    """

    __test__: ClassVar = False  # for pytest

    work_dir: Path
    checkpoint: Path
    metrics: dict[str, float]
    metrics_on_val: dict[str, float] = field(default_factory=dict)
    drawn: Path | None = None
    report: Path | None = None


def result_of(work_dir: Path, metrics: dict[str, float]) -> TrainResult:
    """Return the result of a training from its work dir."""
    best = best_checkpoints(work_dir)
    logs = sorted(work_dir.glob(LOGS))
    curves = work_dir / PICTURE
    return TrainResult(
        work_dir=work_dir,
        metrics=metrics,
        checkpoint=latest_checkpoint(work_dir),
        best=best[0] if best else None,
        log=logs[-1] if logs else None,
        curves=curves if curves.is_file() else None,
    )


def last_metrics(hub: MessageHub) -> dict[str, float]:
    """Return the metrics of the last evaluation of a training, by name."""
    metrics = {}
    for name, history in hub.log_scalars.items():
        metric = name.removeprefix('val/')
        if metric != name and not NO_METRICS.match(metric):
            metrics[metric] = float(history.current())
    return metrics
