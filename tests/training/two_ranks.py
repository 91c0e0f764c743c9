"""What two processes must do, run by test_distributed.py through torchrun: two_ranks.py FOLDER.

Every process writes what it saw to FOLDER/rank_N.json. With ``lost`` behind the folder the second
process is killed instead; with ``exact`` any number of them say whether they resume to the bit.
"""

import itertools
import json
import multiprocessing
import os
import signal
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from mmengine.dist import barrier, get_rank
from mmengine.hooks import Hook
from mmengine.registry import HOOKS, MODELS

from tests.training.hooks import test_owed_evaluation as owed
from tests.training.hooks.test_exact_resume import STOPS, config, state, stopped_and_resumed
from tests.training.hooks.test_finite_loss import Spoilt
from tests.training.toy import NoisyModel, by_iteration, loader, run_toy, toy_config
from vitbackbones.commands.ending import run
from vitbackbones.errors import InputError
from vitbackbones.preparing.explain import explained
from vitbackbones.training.distributed import join_processes, use_launcher
from vitbackbones.training.hooks import interrupt
from vitbackbones.training.hooks.evaluation import SameStatisticsHook
from vitbackbones.training.hooks.interrupt import TrainingInterrupted
from vitbackbones.weights.read.load import load_file

STEPS = 5


@MODELS.register_module()
class SpoiltOnRankOne(Spoilt):
    """Only the second process sees a loss that is not finite; all gradients are."""

    def __init__(self, steps):
        super().__init__(steps if get_rank() == 1 else [], 'constant')


@MODELS.register_module()
class WideModel(NoisyModel):
    """It has so many parameters that sums in another order are others."""

    def __init__(self):
        super().__init__()
        self.noise.append(torch.nn.Linear(8, 2000)).append(torch.nn.Linear(2000, 8))


@HOOKS.register_module()
class OnRankOne(Hook):
    """Only the second process gets a signal, or loses a data worker."""

    def __init__(self, iteration, kills):
        self.iteration, self.kills = iteration, kills

    def before_train_iter(self, runner, batch_idx, data_batch=None):
        if runner.iter == self.iteration and get_rank() == 1:
            workers = [each.pid for each in multiprocessing.active_children()]
            os.kill(workers[0] if workers else os.getpid(), self.kills)
            time.sleep(0.5)


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
    """Whether a run of all processes that was stopped equals one that was not."""
    options = {'batch_size': 1, 'workers': 2, 'model': {'type': 'WideModel'}, **launch}
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


def accumulated(folder, launch):
    """Where a run stops that is to stop between accumulated gradients, and whether it is exact."""

    def run(work_dir, *hooks, **changes):
        each = config(work_dir, 'iteration', *hooks, batch_size=1, **launch, **changes)
        each.optim_wrapper.accumulative_counts = 4
        return run_toy(each)

    whole = run(folder / 'whole')
    stop = {'type': 'OnRankOne', 'iteration': 1, 'kills': int(signal.SIGUSR1)}
    with pytest.raises(TrainingInterrupted) as end:
        run(folder / 'stopped', stop)
    latest = folder / 'stopped' / 'interrupted.pth'
    reached = load_file(latest)['meta']['iter']
    resumed = run(folder / 'stopped', resume=True, load_from=str(latest))
    return end.value.status, reached, state(resumed)[0] == state(whole)[0]


def told_while_they_agree(folder, launch):
    """Status and place where a run stops when one gets a signal inside of the collective."""
    agreements, all_reduce = itertools.count(), interrupt.all_reduce

    def agree(numbers, choice):
        if choice == 'max' and next(agreements) == 2 and get_rank() == 1:
            os.kill(os.getpid(), signal.SIGTERM)
        all_reduce(numbers, choice)

    run = config(folder, 'epoch', batch_size=1, **launch)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(interrupt, 'all_reduce', agree)
        with pytest.raises(TrainingInterrupted) as end:
            run_toy(run)
    return end.value.status, load_file(folder / 'interrupted.pth')['meta']['iter']


def evaluates_again(folder, loop, launch):
    """Whether runs that are stopped in an evaluation leave what one in a single go leaves.

    Processes have one batch of four and four of one, so they cannot agree in all of them.
    """
    data = loader(batch_size=4 if get_rank() == 1 else 1)
    options = {'batch_size': 1, 'val_dataloader': data, **launch}
    run_toy(owed.evaluated(folder / 'whole', loop, **options))
    stops = [(4, None, 0), (8, 15, 0), (12, 15, 0), (8, 15, 2), (12, 15, 2), (12, None, 0)]
    equal = []
    for number, (iteration, kills, batch) in enumerate(stops):
        stopped = folder / f'stopped_{number}'
        hook = {'type': 'StopInEvaluation', 'iteration': iteration, 'number': kills}
        end = owed.stop(stopped, loop, {**hook, 'batch': batch}, **options)
        assert kills is None or end.status == 143
        owed.resume(stopped, loop, **options)
        barrier()
        equal.append(owed.files(stopped) == owed.files(folder / 'whole'))
    return equal


def loses_a_worker(folder, launch):
    """What a process says of a data worker that only the other one has lost."""
    stop = {'type': 'OnRankOne', 'iteration': 1, 'kills': int(signal.SIGKILL)}
    run = config(folder, 'epoch', stop, batch_size=1, workers=1, **launch)
    with pytest.raises(InputError) as end:
        run_toy(run)
    return str(end.value)


def evaluated(folder, launch):
    """A metric of a run whose processes work in folders where nothing can be written."""
    gather = [{'type': 'vitbackbones.GatherHook'}]
    run = toy_config(folder, custom_hooks=gather, **launch)
    run.update(test_dataloader=loader(), test_cfg={}, test_evaluator={'type': 'ToyMetric'})
    here = Path.cwd()
    os.chdir(f'/proc/{os.getpid()}')
    runner = run_toy(run)
    tested = runner.test()['toy/error']
    os.chdir(here)
    return runner.message_hub.get_scalar('val/toy/error').current(), tested


def shared_statistics():
    """Means and count of a BatchNorm once an evaluation has begun."""
    norm = torch.nn.BatchNorm1d(2)
    norm.running_mean.fill_(get_rank() + 1)
    norm.num_batches_tracked.fill_(get_rank() + 5)
    SameStatisticsHook().before_val_epoch(SimpleNamespace(model=norm))
    return [*norm.running_mean.tolist(), norm.num_batches_tracked.item()]


def lose_a_process(folder):
    """Train until the second process gets what the kernel sends when memory runs out."""
    hooks = [{'type': 'vitbackbones.InterruptHook'}]
    hooks.append({'type': 'OnRankOne', 'iteration': 5, 'kills': int(signal.SIGKILL)})
    join_processes('pytorch')
    config = use_launcher(toy_config(folder, custom_hooks=hooks), 'pytorch')
    with explained(config):
        run_toy(config)


def launched_in(folder):
    """A run of these processes, and what makes it one."""
    join_processes('pytorch')
    launched = use_launcher(few_steps(folder / 'losses', batch_size=2), 'pytorch')
    return launched, {key: launched[key] for key in ('launcher', 'model_wrapper_cfg')}


def exact_alone(folder):
    seen = is_exact(folder, 'iteration', 'killed', launched_in(folder)[1])
    (folder / f'rank_{get_rank()}.json').write_text(json.dumps(seen))


def main(folder):
    launched, launch = launched_in(folder)
    seen = {
        'losses': losses(run_toy(launched)),
        'stops': refusal(folder / 'stops', launch, skip=0),
        'leaves out': refusal(folder / 'leaves_out', launch, skip=1),
        'accumulated': accumulated(folder / 'accumulated', launch),
        'loses a worker': loses_a_worker(folder / 'loses_a_worker', launch),
        'told while they agree': told_while_they_agree(folder / 'told', launch),
        'evaluated': evaluated(folder / 'evaluated', launch),
        'statistics': shared_statistics(),
        'backend': torch.distributed.get_backend(),
    }
    for loop, stop in (('epoch', 'interrupted'), ('iteration', 'killed')):
        seen[loop] = is_exact(folder / loop, loop, stop, launch)
        seen[f'evaluates again: {loop}'] = evaluates_again(folder / f'owed_{loop}', loop, launch)
    (folder / f'rank_{get_rank()}.json').write_text(json.dumps(seen))


if __name__ == '__main__':
    action = {'lost': lose_a_process, 'exact': exact_alone}.get(sys.argv[-1], main)
    sys.exit(run(lambda: action(Path(sys.argv[1]))))
