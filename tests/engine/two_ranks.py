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


def is_exact(folder, loop, launch):
    """Whether a run of both processes that was stopped equals one that was not."""
    options = {'batch_size': 1, 'workers': 1, **launch}
    whole = run_toy(config(folder / 'whole', loop, **options))
    resumed = stopped_and_resumed(folder / 'stopped', loop, STOPS['interrupted'], **options)
    return state(resumed) == state(whole)


def refusal(folder, launch, skip):
    """What a process says of a loss that only the other one sees, and the steps it took."""
    hook = {'type': 'vitbackbones.FiniteLossHook', 'skip': skip}
    model = {'type': 'SpoiltOnRankOne', 'steps': [2]}
    try:
        runner = run_toy(toy_config(folder, model=model, custom_hooks=[hook], **launch))
    except InputError as error:
        return str(error)
    return int(runner.optim_wrapper.state_dict()['state'][0]['step'])


def sharded(folder, name):
    """Losses of a run with one of the strategies, and the shapes of the weights it saved."""
    run = few_steps(folder, batch_size=2)
    run.strategy = Config.fromfile(CONFIGS / f'{name}.py').strategy
    # torch 2.11 dies (segmentation fault) of gathering an optimizer's state on CPUs
    run.default_hooks.checkpoint.save_optimizer = name == 'ddp'
    run.launcher = 'pytorch'
    _wrap_on_cpu(run)
    run.experiment_name = name
    runner = build_runner(run)
    runner.train()
    shapes = {}
    if get_rank() == 0:
        state = load_file(folder / 'iter_4.pth')['state_dict']
        shapes = {key: list(value.shape) for key, value in state.items()}
    return losses(runner), shapes


def main(folder):
    launched = few_steps(folder / 'losses', batch_size=2)
    prepare_distributed(launched, 'pytorch')
    launch = {key: launched[key] for key in ('launcher', 'model_wrapper_cfg')}
    seen = {
        'losses': losses(run_toy(launched)),
        'epoch': is_exact(folder / 'epoch', 'epoch', launch),
        'iteration': is_exact(folder / 'iteration', 'iteration', launch),
        'stops': refusal(folder / 'stops', launch, skip=0),
        'leaves out': refusal(folder / 'leaves_out', launch, skip=1),
        'ddp': sharded(folder / 'ddp', 'ddp'),
        'fsdp': sharded(folder / 'fsdp', 'fsdp'),
        'backend': torch.distributed.get_backend(),
    }
    (folder / f'rank_{get_rank()}.json').write_text(json.dumps(seen))


if __name__ == '__main__':
    main(Path(sys.argv[1]))
