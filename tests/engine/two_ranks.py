"""What two processes must do, run by test_distributed.py through torchrun: two_ranks.py FOLDER.

Every process writes what it saw to FOLDER/rank_N.json.
"""

import json
import sys
from pathlib import Path

import torch
from mmengine.config import Config
from mmengine.dist import get_rank
from mmengine.registry import MODELS

from tests.engine.test_exact import STOPS, config, state, stopped_and_resumed
from tests.engine.test_finite import Spoilt
from tests.engine.toy import by_iteration, loader, run_toy, toy_config
from vitbackbones.checkpoint import load_file
from vitbackbones.engine.cli import run
from vitbackbones.engine.console import build_runner
from vitbackbones.engine.distributed import _wrap_on_cpu, prepare_distributed
from vitbackbones.errors import InputError

STEPS = 5
CONFIGS = Path(__file__).parents[2] / 'configs' / '_base_' / 'strategies'


@MODELS.register_module()
class SpoiltOnRankOne(Spoilt):
    """Only the second process sees a loss that is not finite."""

    def __init__(self, steps):
        super().__init__(steps if get_rank() == 1 else [])


def few_steps(work_dir, batch_size):
    """A run without noise in the network and with augmentation, the first of both tests."""
    sampler = {'type': 'InfiniteSampler', 'shuffle': True}
    data = loader(batch_size=batch_size, dataset={'type': 'NoisyData'}, sampler=sampler)
    changes = by_iteration(STEPS, train_dataloader=data, val_cfg=None, val_dataloader=None)
    hooks = [{'type': 'vitbackbones.ExactResumeHook'}]
    return toy_config(work_dir, **{**changes, 'val_evaluator': None}, custom_hooks=hooks)


def losses(runner):
    return [float(loss) for loss in runner.message_hub.log_scalars['train/loss'].data[0]]


def is_exact(folder, loop, stop, launch):
    """Whether a run of both processes that was stopped equals one that was not."""
    options = {'batch_size': 1, 'workers': 2, **launch}
    whole = run_toy(config(folder / 'whole', loop, **options))
    resumed = stopped_and_resumed(folder / 'stopped', loop, STOPS[stop], **options)
    (weights, history), (expected, expected_history) = state(resumed), state(whole)
    # checkpoints hold the first process's history of losses: compare those after the resume
    return weights == expected and history[-2:] == expected_history[-2:]


def refusal(folder, launch, skip):
    """What a process says of a loss that only the other one sees, and the steps it took."""
    hook = {'type': 'vitbackbones.FiniteLossHook', 'skip': skip}
    model = {'type': 'SpoiltOnRankOne', 'steps': [2]}
    try:
        runner = run_toy(toy_config(folder, model=model, custom_hooks=[hook], **launch))
    except InputError as error:
        return str(error)
    return int(runner.optim_wrapper.state_dict()['state'][0]['step'])


def sharded(folder, name, **changes):
    """Losses of a run with one of the strategies."""
    run = few_steps(folder, batch_size=2)
    run.strategy = Config.fromfile(CONFIGS / f'{name}.py').strategy
    run.update(launcher='pytorch', env_cfg={}, experiment_name=f'{name}{len(changes)}', **changes)
    _wrap_on_cpu(run)
    runner = build_runner(run)
    runner.train()
    return losses(runner)


def with_strategy(folder, name):
    """Losses of a whole run and of one resumed after step 4, and the shapes of what was saved."""
    whole = sharded(folder, name)
    saved = folder / 'iter_4.pth'
    resumed = sharded(folder, name, resume=True, load_from=str(saved))
    # mmengine's DDP strategy keeps the wrapper's prefix, which loading takes off
    weights = load_file(saved)['state_dict'].items()
    shapes = {key.removeprefix('module.'): list(value.shape) for key, value in weights}
    return whole, resumed[-1], shapes


def main(folder):
    launched = few_steps(folder / 'losses', batch_size=2)
    prepare_distributed(launched, 'pytorch')
    launch = {key: launched[key] for key in ('launcher', 'model_wrapper_cfg')}
    seen = {
        'losses': losses(run_toy(launched)),
        'stops': refusal(folder / 'stops', launch, skip=0),
        'leaves out': refusal(folder / 'leaves_out', launch, skip=1),
        'ddp': with_strategy(folder / 'ddp', 'ddp'),
        'fsdp': with_strategy(folder / 'fsdp', 'fsdp'),
        'backend': torch.distributed.get_backend(),
    }
    for loop, stop in (('epoch', 'interrupted'), ('iteration', 'killed')):
        seen[loop] = is_exact(folder / loop, loop, stop, launch)
    (folder / f'rank_{get_rank()}.json').write_text(json.dumps(seen))


if __name__ == '__main__':
    sys.exit(run(lambda: main(Path(sys.argv[1]))))
