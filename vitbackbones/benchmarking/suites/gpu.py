"""Everything there is to know of a GPU, in one call of at most nine minutes.

    python tools/benchmark.py --suite gpu --out out/gpu

========== ====================================================================================
table      rows
========== ====================================================================================
device     what a product of matrices and a copy reach
attention  which kernel takes each call of attention; the slow ``math`` is a failure
tasks      training steps of DETR and SETR against mmdet's and mmseg's, bfloat16 autocast
models     every family against timm, mmpretrain, mmdet and its plain form: time and memory
kernels    kernels that a forward pass and a training step launch
roofline   shares of the device's arithmetic and of its memory's bandwidth
goals      what is aimed at, and whether it is reached
========== ====================================================================================

Jobs run in the order of what they tell, each if it probably ends in time. Every row is on the disk
as soon as it is measured; the same command goes on where the last one ended, or was killed. What
fails, for lack of memory or in the compiler, is a row with its message. ``summary.md`` in the
folder has all tables. After a change of the code choose another folder.

On a CPU it is a dry run at small sizes, to see that all would run.
"""

import gc
import time
from argparse import Namespace
from collections.abc import Iterator, Mapping

import torch

from ...errors import InputError
from ...files import folder_lock, prepare_folder
from ..model_sources import Source
from .gpu_goals import goal_rows
from .gpu_jobs import Job, Jobs
from .gpu_models import first_line
from .gpu_plan import PLANS
from .gpu_summary import write_summary
from .gpu_tables import Tables


def rows(options: Namespace, sources: Mapping[str, Source]) -> Iterator[dict]:
    """Yield a row for everything that is measured in time, the goals, and what is left.

    Raises:
        InputError: there is no ``--out``, it holds other numbers, or the device is of another kind.
    """
    begin = time.monotonic()
    if not options.out:
        raise InputError('--suite gpu: name a folder for its tables by --out FOLDER')
    if options.device.type not in PLANS:
        raise InputError(f'--suite gpu: --device {options.device} is neither CUDA nor a CPU')
    plan = PLANS[options.device.type]
    folder = prepare_folder(options.out, '--out')
    with folder_lock(folder, '--out'):
        tables = Tables(folder, _settings(options.device))
        jobs = Jobs(plan, options, sources, tables).planned()
        yield from _run(jobs, tables, begin + 60 * plan.minutes)
        left = [job.name for job in jobs if not tables.finished(job.name)]
        goals = list(goal_rows(tables))
        write_summary(folder, tables, goals, left)
        yield from ({'table': 'goals'} | goal for goal in goals)
        yield from ({'table': 'left', 'job': name} for name in left)


def _settings(device: torch.device) -> dict:
    name = torch.cuda.get_device_name(device) if device.type == 'cuda' else 'CPU, a dry run'
    return {'device': name, 'torch': torch.__version__}


def _run(jobs: list[Job], tables: Tables, end: float) -> Iterator[dict]:
    """Run the jobs that are not finished and fit, and yield their rows."""
    for job in jobs:
        if tables.finished(job.name) or time.monotonic() + job.seconds > end:
            continue
        tables.begin(job.name)
        try:
            for row in job.rows():
                tables.add(job.table, job.name, row)
                yield {'table': job.table} | row
        except Exception as error:  # whatever it is, the others go on
            row = {'form': job.name, 'error': first_line(error)}
            tables.add(job.table, job.name, row)
            yield {'table': job.table} | row
        else:
            tables.end(job.name)
        _clean_up()


def _clean_up() -> None:
    """Give back what the last job held."""
    torch.compiler.reset()
    gc.collect()
    torch.cuda.empty_cache()
