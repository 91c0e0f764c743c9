"""A run that is stopped again and again at random moments always resumes, to the bit.

Half of the signals are SIGKILL, the others those that leave a checkpoint. Not part of the suite:
``pytest -m crash tests/training/test_crash.py``. KILLS (50) and SEED (0) come from the environment.
"""

import multiprocessing
import os
import random
import signal
import time
from contextlib import suppress

import pytest

from vitbackbones.training.find_checkpoint import latest_checkpoint
from vitbackbones.training.hooks.interrupt import TrainingInterrupted
from vitbackbones.utils.processes import SIGNALS
from vitbackbones.weights.read.load import load_file

from .hooks.test_exact_resume import config, leaves
from .toy import run_toy

pytestmark = pytest.mark.crash
EPOCHS = 40
KILLS = int(os.environ.get('KILLS', 50))


def settings(work_dir, loop, accumulated):
    """Saves all the time: nearly every kill strikes while files are written or removed.

    An epoch has four iterations, which is a multiple of ``accumulated``.
    """
    by_epoch = loop == 'epoch'
    interval = 1 if by_epoch else accumulated
    hook = {'type': 'vitbackbones.CheckpointHook', 'interval': interval, 'by_epoch': by_epoch}
    hook |= {'max_keep_ckpts': 2, 'save_best': 'toy/error', 'rule': 'less'}
    settings = config(work_dir, loop, workers=0)
    settings.default_hooks = {'checkpoint': hook}
    length = {'max_epochs': EPOCHS} if by_epoch else {'max_iters': EPOCHS}
    settings.train_cfg.update(length)
    settings.optim_wrapper.accumulative_counts = accumulated
    return settings


def continue_run(work_dir, *variant):
    """Resume from what is there, as a user would: ``tools/train.py --resume``."""
    os.setpgrp()
    latest = latest_checkpoint(work_dir)
    resume = {'resume': True, 'load_from': str(latest)} if latest else {}
    run = settings(work_dir, *variant)
    run.update(resume)
    with suppress(TrainingInterrupted):
        run_toy(run)


def stopped_after(seconds, number, *arguments):
    """Continue in a process of its own and stop it; return whether it was still running."""
    process = multiprocessing.get_context('fork').Process(target=continue_run, args=arguments)
    process.start()
    process.join(seconds)
    running = process.is_alive()
    if running:
        os.kill(process.pid, number)
        process.join()
    return running


@pytest.mark.parametrize(('loop', 'accumulated'), [('epoch', 1), ('iteration', 4)])
def test_stopped_at_random_moments(tmp_path, loop, accumulated):
    start = time.monotonic()
    whole = run_toy(settings(tmp_path / 'whole', loop, accumulated))
    length = time.monotonic() - start
    choose = random.Random(f'{os.environ.get("SEED", 0)} {loop} {accumulated}')
    folder, done, sent = tmp_path / 'killed', 0, 0
    while sent < KILLS // 2:
        number = choose.choice([*SIGNALS, *[signal.SIGKILL] * len(SIGNALS)])
        wait = choose.uniform(0.05, 0.3) * length
        if not stopped_after(wait, number, folder, loop, accumulated):
            done = 0
            for file in folder.glob('*.pth'):  # complete: from the beginning
                file.unlink()
            continue
        sent += 1
        if latest := latest_checkpoint(folder):
            reached = load_file(latest)['meta']['iter']
            assert reached >= done
            done = reached
    stopped_after(None, signal.SIGKILL, folder, loop, accumulated)
    expected = load_file(latest_checkpoint(tmp_path / 'whole'))
    found = load_file(latest_checkpoint(folder))
    assert found['meta']['iter'] == whole.iter
    for key in ('state_dict', 'optimizer', 'param_schedulers'):
        assert leaves(found[key]) == leaves(expected[key])
