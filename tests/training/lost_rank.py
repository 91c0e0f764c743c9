"""Trains in two processes of which the second is killed: lost_rank.py FOLDER."""

import os
import signal
import sys

from mmengine.dist import get_rank
from mmengine.hooks import Hook
from mmengine.registry import HOOKS

from tests.training.toy import run_toy, toy_config
from vitbackbones.commands.ending import run
from vitbackbones.configuration.checks.explain import explained
from vitbackbones.training.distributed import join_processes, use_launcher


@HOOKS.register_module()
class OutOfMemory(Hook):
    """Does to the second process what the kernel does when memory runs out."""

    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None):
        if runner.iter == 5 and get_rank() == 1:
            os.kill(os.getpid(), signal.SIGKILL)


def main():
    hooks = [{'type': 'vitbackbones.InterruptHook'}, {'type': 'OutOfMemory'}]
    join_processes('pytorch')
    config = use_launcher(toy_config(sys.argv[1], custom_hooks=hooks), 'pytorch')
    with explained(config):
        run_toy(config)


if __name__ == '__main__':
    sys.exit(run(main))
