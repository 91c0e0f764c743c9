"""One run of :mod:`benchmarks.own_sets`, in a process of its own: train, then test.

    python -m benchmarks.own_sets_run DATA WORK_DIR STEPS SEED CONFIG [OPTION ...]

CONFIG and options are those of ``vitbackbones train``. The metrics and what the training took are
written to ``WORK_DIR/result.json``. The seconds are those of the training alone: they hold neither
the import of the toolboxes nor the evaluation, which is done once, at the end.
"""

import json
import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import vitbackbones
from vitbackbones.commands.ending import run
from vitbackbones.commands.main import verb_parser
from vitbackbones.running.request import TrainRequest
from vitbackbones.utils.files import write_file

RESULT = 'result.json'
WHO = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
# the columns of a table and the metrics of the toolboxes
METRICS = {'AP': 'coco/bbox_mAP', 'AP50': 'coco/bbox_mAP_50', 'mIoU': 'mIoU'}


class Spent(NamedTuple):
    """Seconds that have passed, of a CPU (all threads and children that have ended) and a clock."""

    cpu: float
    wall: float


def spent() -> Spent:
    """Return the seconds of this process until now."""
    usages = [resource.getrusage(who) for who in WHO]
    return Spent(sum(each.ru_utime + each.ru_stime for each in usages), time.perf_counter())


def measure(data: str, work_dir: str, steps: int, seed: int, words: Sequence[str]) -> dict:
    """Train as the words of a command line say, test on the val pictures, and return a result."""
    given = TrainRequest(**vars(verb_parser('train').parse_args(words)))
    request = replace(
        given,
        data_root=data,
        work_dir=work_dir,
        steps=steps,
        overwrite=True,
        cfg_options={**_once_at_the_end(steps, seed), **given.cfg_options},
    )
    began = spent()
    trained = vitbackbones.train(request.config, **request.given())
    ended = spent()
    shared = {key: request.given()[key] for key in ('data_root', 'work_dir', 'cfg_options')}
    found = vitbackbones.test(request.config, trained.checkpoint, **shared).metrics
    return {
        **{name: round(found[key], 4) for name, key in METRICS.items() if key in found},
        'cpu_s': round(ended.cpu - began.cpu, 1),
        'wall_s': round(ended.wall - began.wall, 1),
    }


def _once_at_the_end(steps: int, seed: int) -> dict:
    """Return the settings of a run that evaluates nothing and saves the last checkpoint alone."""
    return {
        'randomness.seed': seed,
        'train_dataloader.num_workers': 0,
        **dict.fromkeys(('val_cfg', 'val_dataloader', 'val_evaluator')),
        'default_hooks.checkpoint.interval': steps,
    }


def main() -> None:
    """Do what the command line says."""
    data, work_dir, steps, seed, *words = sys.argv[1:]
    result = measure(data, work_dir, int(steps), int(seed), words)
    write_file(Path(work_dir, RESULT), json.dumps(result).encode())


if __name__ == '__main__':
    sys.exit(run(main))
