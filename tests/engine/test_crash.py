"""A run that is killed (SIGKILL) again and again at random moments always resumes, to the bit.

Not part of the suite: ``pytest -m crash tests/engine/test_crash.py``. KILLS (50) and SEED (0) come
from the environment.
"""

import multiprocessing
import os
import random
import signal
import time

import pytest

from vitbackbones.checkpoint import load_file
from vitbackbones.engine.resuming import latest_checkpoint

from .test_exact import config, leaves
from .toy import run_toy

pytestmark = pytest.mark.crash
EPOCHS = 40
KILLS = int(os.environ.get('KILLS', 50))


def settings(work_dir, loop):
    """Saves all the time: nearly every kill strikes while files are written or removed."""
    by_epoch = loop == 'epoch'
    hook = {'type': 'vitbackbones.CheckpointHook', 'interval': 1, 'by_epoch': by_epoch}
    hook |= {'max_keep_ckpts': 2, 'save_best': 'toy/error', 'rule': 'less'}
    settings = config(work_dir, loop, workers=0)
    settings.default_hooks = {'checkpoint': hook}
    length = {'max_epochs': EPOCHS} if by_epoch else {'max_iters': EPOCHS}
    settings.train_cfg.update(length)
    return settings


def continue_run(work_dir, loop):
    """Resume from what is there, as a user would: ``tools/train.py --resume``."""
    os.setpgrp()
    latest = latest_checkpoint(work_dir)
    resume = {'resume': True, 'load_from': str(latest)} if latest else {}
    run = settings(work_dir, loop)
    run.update(resume)
    run_toy(run)


def killed_after(seconds, *arguments):
    """Continue in a process of its own and kill it; return whether it was still running."""
    process = multiprocessing.get_context('fork').Process(target=continue_run, args=arguments)
    process.start()
    process.join(seconds)
    running = process.is_alive()
    if running:
        os.kill(process.pid, signal.SIGKILL)
        process.join()
    return running


@pytest.mark.parametrize('loop', ['epoch', 'iteration'])
def test_killed_at_random_moments(tmp_path, loop):
    start = time.monotonic()
    whole = run_toy(settings(tmp_path / 'whole', loop))
    length = time.monotonic() - start
    moments = random.Random(int(os.environ.get('SEED', 0)))
    done = kills = 0
    while kills < KILLS // 2:
        if not killed_after(moments.uniform(0.05, 0.3) * length, tmp_path / 'killed', loop):
            done = 0
            for file in (tmp_path / 'killed').glob('*.pth'):  # complete: from the beginning
                file.unlink()
            continue
        kills += 1
        latest = latest_checkpoint(tmp_path / 'killed')
        if latest is not None:
            reached = load_file(latest)['meta']['iter']
            assert reached >= done
            done = reached
    killed_after(None, tmp_path / 'killed', loop)
    expected = load_file(latest_checkpoint(tmp_path / 'whole'))
    found = load_file(latest_checkpoint(tmp_path / 'killed'))
    assert found['meta']['iter'] == whole.iter
    for key in ('state_dict', 'optimizer', 'param_schedulers'):
        assert leaves(found[key]) == leaves(expected[key])
