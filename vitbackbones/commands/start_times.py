"""Seconds from the command to the first steps of a training run, and of an evaluation, by part.

    python -m vitbackbones.commands.start_times CONFIG DATA_ROOT WORK_DIR BEGAN

``tools/benchmark.py --suite startup`` runs this in fresh processes. It takes the steps of
``tools/train.py`` (:mod:`.train`), reads the clock after each, stops after some training steps and
evaluates once. What is printed at the end is one line of JSON. BEGAN is the time at which the
process was started, in seconds since the epoch.
"""

import json
import sys
import time
from argparse import Namespace
from contextlib import suppress

from mmengine.hooks import Hook

from ..configuration.read import read_config
from ..preflight.steps import take_steps
from ..training.console import build_runner
from .train import TRAIN, TRAIN_SETTINGS

STEPS = 6  # of training: the first one alone, then those that tell how long one takes
OPTIONS = {
    'cfg_options': {},
    'amp': False,
    'compile': False,
    'resume': None,
    'track': [],
    'overwrite': False,
    'pretrained': None,
    'scratch': True,
    'launcher': 'none',
    'local_rank': 0,
}


class Clock:
    """Seconds by the name of what took them; each lap begins where the last one ended."""

    def __init__(self, began: float) -> None:
        self.parts: dict[str, float] = {}
        self.last = began

    def lap(self, name: str) -> None:
        """Add the time since the last lap to a part."""
        now = time.time()
        self.parts[name] = self.parts.get(name, 0.0) + now - self.last
        self.last = now


class Enough(Exception):
    """The run has taken all steps that are measured."""


class StepTimes(Hook):
    """Takes the time of the first steps and ends the run."""

    priority = 'LOWEST'

    def __init__(self, clock: Clock) -> None:
        self.clock = clock

    def before_train_iter(self, runner, batch_idx, data_batch=None) -> None:
        if runner.iter == 0:
            self.clock.lap('data sets, optimizer, first batch')

    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None) -> None:
        self.clock.lap('later steps' if runner.iter else 'first step')
        if runner.iter + 1 == STEPS:
            raise Enough


def measure(path: str, data_root: str, work_dir: str, clock: Clock) -> dict[str, float]:
    """Return the seconds of each part of a run's beginning, and of one evaluation."""
    clock.lap('Python and imports')
    options = Namespace(**OPTIONS, data_root=data_root, work_dir=work_dir)
    config = read_config(path)
    clock.lap('config')
    for step in (*TRAIN_SETTINGS, *TRAIN):
        config = take_steps(config, [step], options)
        clock.lap(f'step: {step.name}')
    runner = build_runner(config)
    clock.lap('model, runner')
    runner.register_hook(StepTimes(clock))
    with suppress(Enough):
        runner.train()
    return clock.parts | _evaluation(runner)


def _evaluation(runner) -> dict[str, float]:
    """Evaluate once; the metric counts alone, beside the answers for all pictures."""
    evaluator, inner = runner.val_loop.evaluator, Clock(0.0)
    compute = evaluator.evaluate

    def timed(size: int) -> dict:
        inner.last = time.time()
        metrics = compute(size)
        inner.lap('evaluation: metric')
        return metrics

    evaluator.evaluate = timed
    began = time.time()
    runner.val_loop.run()
    answers = time.time() - began - inner.parts['evaluation: metric']
    return {'evaluation: answers': answers} | inner.parts


if __name__ == '__main__':
    *arguments, began = sys.argv[1:]
    print(json.dumps(measure(*arguments, Clock(float(began)))))
