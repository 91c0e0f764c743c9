"""How long each model of an audit is trained, and on which images; a file keeps it."""

import json
import math
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...analysis.run_log import records
from ...audit.folds import deal
from ...configuration.length import ENDLESS
from ...data.own.pool import Pool
from ...errors import InputError
from ...utils.files import read_json, write_file
from ...utils.messages import plural
from ...utils.rules import is_number
from .folds import DETECTOR, PROBE, SEGMENTOR, Given, Quick

PLAN = 'plan.json'


@dataclass(frozen=True)
class Audit:
    """What is audited, and where all of it goes.

    Attributes:
        root: the folder of the user.
        pool: its images and labels.
        quick: what is trained.
        out: the folder of the audit.
        folds: number of models.
        minutes: of training, all folds together.
    """

    root: Path
    pool: Pool
    quick: Quick
    out: Path
    folds: int
    minutes: float

    def folder(self, number: int) -> Path:
        """Return the folder of a fold."""
        return self.out / f'fold_{number}'


class Plan(NamedTuple):
    """The fold of each image (N,), and how many steps and seconds each model is trained for.

    ``length`` is the number of steps, or of epochs where the config counts these.
    """

    fold: np.ndarray
    steps: int
    seconds: float
    length: int


def make_plan(job: Audit, groups: list[list[int]]) -> Plan:
    """Write the folders of the folds, and time a few steps.

    Raises:
        InputError: ``out`` holds an audit of other pictures, labels or folds.
    """
    labels = [(str(file), job.pool.digest(row)) for row, file in enumerate(job.pool.files)]
    outlines = [job.pool.content] if job.pool.outlined else []
    digest = sha256(json.dumps([*labels, *outlines]).encode()).hexdigest()
    plan = {'labels': digest, 'folds': job.folds, 'minutes': job.minutes}
    plan['config'] = job.quick.config
    begun = read_plan(job.out / PLAN)
    earlier = DETECTOR if job.pool.content else SEGMENTOR  # of versions that did not write these
    before = {'minutes': job.minutes, 'config': earlier.config}
    if begun and begun | plan != before | begun:
        raise InputError(
            f'--out {job.out}: contains an audit of other images, labels, folds or minutes, or '
            'with another config; choose another folder, or remove it'
        )
    fold = deal(groups, job.pool.rarest(), job.folds)
    if 'steps' not in begun:
        write_file(job.out / PLAN, json.dumps(plan).encode())
        job.pool.link(job.out)
        for number in range(job.folds):
            rows = {'train': np.flatnonzero(fold != number), 'val': np.flatnonzero(fold == number)}
            job.pool.write_part(job.folder(number), job.out, rows)
        print('timing a few steps', flush=True)
        plan |= _measured(job, fold)
        write_file(job.out / PLAN, json.dumps(plan).encode())
        begun = plan
    print(f'{plural(begun["steps"], "step")} of training for each of {job.folds} folds')
    seconds = begun.get('seconds', 60 * job.minutes / job.folds)
    return Plan(fold, begun['steps'], seconds, begun.get('epochs', begun['steps']))


def _measured(job: Audit, fold: np.ndarray) -> dict[str, float]:
    """Return how long to train each model: ``steps``, ``seconds``, ``epochs`` where these count."""
    quick = job.quick
    seconds = 60 * job.minutes / job.folds
    if not isinstance(quick, Given):
        steps = quick.steps_in(job.folder(0), seconds)
        return {'steps': steps, 'seconds': steps * quick.step_time(job.folder(0))}
    # an epoch on few images, and an evaluation of fewer, as one of all may take hours
    used, held_out = ([*map(int, np.flatnonzero(here))] for here in (fold != 0, fold == 0))
    labeled = [row for row in used if job.pool.labels[row]] or used  # others may be left out
    few = labeled[: PROBE * quick.batch]
    seen = [row for row in held_out if job.pool.labels[row]] or held_out
    folder = job.out / 'few'
    job.pool.write_part(folder, job.out, {'train': few, 'val': seen[:2]})
    passes = math.ceil(PROBE * quick.batch / len(few)) if quick.unit == 'epochs' else PROBE
    steps = quick.steps_in(folder, seconds, passes)
    length = {}
    if quick.unit == 'epochs':
        last = max(each['step'] for each in records(job.out / 'probe') if 'loss' in each)
        in_epoch = last / passes * len(labeled) / len(few)
        length = {'epochs': max(round(steps / in_epoch), 1)}
        steps = max(round(length['epochs'] * in_epoch), 1)
    return {'steps': steps, 'seconds': steps * quick.step_time(folder), **length}


def read_plan(file: Path) -> dict:
    """Return what an audit has planned, {} where none has begun.

    Raises:
        InputError: the file has another form.
    """
    if not file.is_file():
        return {}
    begun = read_json(file)
    lengths = [begun.get(k, 1) for k in ('steps', 'epochs')] if isinstance(begun, dict) else [None]
    is_plan = all(type(length) is int and 0 < length < ENDLESS for length in lengths)
    if not is_plan or not is_number(begun.get('seconds', 0)):
        raise InputError(f'{file}: is not the plan of an audit; choose another --out, or remove it')
    return begun
