"""What two processes with sharded weights must do, run by test_sharding.py through torchrun.

Every process writes what it saw to FOLDER/rank_N.json.
"""

import json
import sys
from pathlib import Path

import pytest
from mmengine.dist import barrier, get_rank
from mmengine.registry import MODELS
from torch import nn

from tests.training.hooks.test_exact_resume import Killed, config, leaves
from tests.training.toy import NoisyModel, run_toy
from tests.training.two_ranks import refusal
from vitbackbones.commands.ending import run
from vitbackbones.training.distributed import join_processes, use_launcher
from vitbackbones.training.hooks.interrupt import TrainingInterrupted
from vitbackbones.weights.read.load import load_file

RUNS = {
    'epoch': {'kind': 'OptimWrapper', 'clip': 0.01, 'counts': 1, 'stop': 5, 'signal': 15},
    'iteration': {'kind': 'vitbackbones.Bf16OptimWrapper', 'clip': 0.1, 'counts': 2, 'stop': 6},
}


class Block(nn.Sequential):
    """Sharded by itself, by its name."""


class SETRHead(nn.Linear):
    """Computes without a call of the module, as heads of mmseg do in ``loss``."""

    def loss(self, x):
        return self.forward(x)

    __call__ = loss


@MODELS.register_module()
class BlockModel(NoisyModel):
    """Without noise in the network, so that any number of processes learns the same."""

    def __init__(self, noise=0.0):
        super().__init__()
        self.noise = Block(nn.Dropout(noise), nn.Linear(8, 7), nn.Tanh(), nn.Linear(7, 8))
        self.out = SETRHead(8, 1)


def settings(folder, loop, *hooks, noise=0.3, batch_size=1, launch=None, **changes):
    """A run with averages, whose optimizer is wrapped as ``RUNS`` says."""
    chosen = RUNS[loop]
    averages = {'type': 'vitbackbones.EMAHook', 'momentum': 0.3}
    guard = {'type': 'vitbackbones.FiniteLossHook'}
    if loop == 'iteration':
        hooks = (*hooks, {'type': 'vitbackbones.CompileHook', 'backend': 'eager'})
    made = config(folder, loop, averages, guard, *hooks, batch_size=batch_size, **changes)
    made.model = {'type': 'BlockModel', 'noise': noise}
    made.optim_wrapper.update(
        type=chosen['kind'],
        clip_grad={'max_norm': chosen['clip']},
        accumulative_counts=chosen['counts'],
        constructor='vitbackbones.GroupedOptimWrapperConstructor',
    )
    made.update(launch or {})
    return made


def last(folder):
    return sorted(folder.glob('*_[0-9]*.pth'), key=lambda file: file.stat().st_mtime)[-1]


def losses(runner):
    return [float(loss) for loss in runner.message_hub.log_scalars['train/loss'].data[0]]


def is_exact(folder, loop, launch):
    """Whether a run that was stopped leaves the file of one that was not."""
    chosen = RUNS[loop]
    stop = {'type': 'Stop', 'iteration': chosen['stop'], 'signal': chosen.get('signal')}
    run_toy(settings(folder / 'whole', loop, launch=launch))
    with pytest.raises((Killed, TrainingInterrupted)):
        run_toy(settings(folder / 'stopped', loop, stop, launch=launch))
    barrier()
    name = Path((folder / 'stopped' / 'last_checkpoint').read_text()).name
    again = {'resume': True, 'load_from': str(folder / 'stopped' / name), 'launch': launch}
    run_toy(settings(folder / 'stopped', loop, **again))
    barrier()
    files = [load_file(last(folder / each)) for each in ('whole', 'stopped')]
    keys = ('state_dict', 'last_state_dict', 'optimizer', 'param_schedulers')
    first, second = ([leaves(file[key]) for key in keys] for file in files)
    return first == second and len(first[1]) > 4 and first[0] != first[1]


def main(folder):
    join_processes('pytorch')
    launched = use_launcher(settings(folder, 'epoch'), 'pytorch')
    ddp = {key: launched[key] for key in ('launcher', 'model_wrapper_cfg')}
    fsdp = {**ddp, 'fsdp': True}
    seen = {loop: is_exact(folder / loop, loop, fsdp) for loop in RUNS}
    plain = {'noise': 0.0, 'batch_size': 2}
    runner = run_toy(settings(folder / 'fsdp', 'epoch', launch=fsdp, **plain))
    seen['losses'] = losses(runner)
    seen['kept'] = sum(each.to_local().numel() for each in runner.model.parameters())
    seen['of'] = sum(each.numel() for each in runner.model.parameters())
    seen['ddp'] = losses(run_toy(settings(folder / 'ddp', 'epoch', launch=ddp, **plain)))
    for start, on, launch in (('fsdp', 'ddp', ddp), ('ddp', 'fsdp', fsdp)):
        again = {'resume': True, 'load_from': str(folder / start / 'epoch_1.pth'), **plain}
        resumed = run_toy(settings(folder / f'on_{on}', 'epoch', launch=launch, **again))
        seen[f'on {on}'] = losses(resumed)
    seen['stops'] = refusal(folder / 'stops', fsdp, skip=0)
    (folder / f'rank_{get_rank()}.json').write_text(json.dumps(seen))


if __name__ == '__main__':
    sys.exit(run(lambda: main(Path(sys.argv[1]))))
