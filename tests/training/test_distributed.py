"""Several processes without GPUs: two of them through torchrun."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from mmengine.config import Config
from torch import distributed

from vitbackbones.errors import InputError
from vitbackbones.training import distributed as ours
from vitbackbones.utils.processes import leads_machine
from vitbackbones.weights.read.load import load_file

from .toy import run_toy
from .two_ranks import STEPS, few_steps, losses

PATIENCE = 300  # seconds, on a busy machine


def test_processes_on_cpus_keep_their_own_batch_statistics(monkeypatch):
    """SyncBatchNorm, which a config may ask for, refuses tensors that are not on a GPU."""
    started = []
    monkeypatch.setattr(distributed, 'init_process_group', started.append)
    monkeypatch.setattr(ours.torch.cuda, 'is_available', lambda: False)
    for name in ('RANK', 'LOCAL_RANK'):
        monkeypatch.setenv(name, '0')
    config = Config({'sync_bn': 'torch', 'model': {'type': 'mmdet.RTMDet'}})
    ours.join_processes('none')
    assert not started
    # mmengine leaves it unused in a single process
    assert ours.use_launcher(config, 'none').sync_bn == 'torch'
    ours.join_processes('pytorch')
    on_cpus = ours.use_launcher(config, 'pytorch')
    assert (started, on_cpus.sync_bn, on_cpus.model.use_syncbn) == (['gloo'], None, False)


@pytest.mark.parametrize('gpu', [True, False])
def test_ddp_keeps_its_buckets_unless_a_config_says_otherwise(monkeypatch, gpu):
    monkeypatch.setattr(ours.torch.cuda, 'is_available', lambda: gpu)
    assert 'find_unused_parameters' not in ours.use_launcher(Config({}), 'none')
    for said, wanted in (({}, True), ({'find_unused_parameters': False}, False)):
        config = ours.use_launcher(Config(said), 'pytorch')
        assert config.find_unused_parameters is wanted
        assert config.get('model_wrapper_cfg', config).find_unused_parameters is wanted


def test_the_first_process_of_a_machine_speaks_for_the_others_under_slurm(monkeypatch):
    monkeypatch.setattr(ours.torch.cuda, 'is_available', lambda: False)
    monkeypatch.delenv('LOCAL_RANK', raising=False)
    monkeypatch.setenv('SLURM_PROCID', '5')
    for place in ('0', '1'):
        monkeypatch.setenv('SLURM_LOCALID', place)
        with pytest.raises(InputError, match='no GPU found'):
            ours.join_processes('slurm', 0)
        assert leads_machine() == (place == '0')


def test_one_of_several_processes_does_not_train_by_itself(monkeypatch):
    monkeypatch.setenv('WORLD_SIZE', '2')
    with pytest.raises(InputError, match='one of 2 processes; add --launcher pytorch'):
        ours.join_processes('none')
    monkeypatch.setenv('WORLD_SIZE', '1')
    monkeypatch.setenv('SLURM_NTASKS', '8')  # inside of an allocation
    ours.join_processes('none')


def torchrun(*arguments, script='two_ranks.py', processes=2):
    """Run a script of this folder in several processes."""
    command = [sys.executable, '-m', 'torch.distributed.run', f'--nproc_per_node={processes}']
    command += ['--standalone', Path(__file__).with_name(script)]  # on a free port
    command += arguments
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


@pytest.fixture(scope='module')
def ranks(tmp_path_factory):
    """What each of the two processes saw, and the folder they wrote to."""
    folder = tmp_path_factory.mktemp('ranks')
    result = torchrun(folder)
    assert result.returncode == 0, result.stdout + result.stderr
    return [json.loads((folder / f'rank_{i}.json').read_text()) for i in (0, 1)], folder


def test_losses_equal_those_of_one_process_with_the_whole_batch(ranks, tmp_path):
    """Data, their augmentations and averaged gradients: the same for any number of processes."""
    alone = losses(run_toy(few_steps(tmp_path, batch_size=4)))
    together = np.mean([seen['losses'] for seen in ranks[0]], axis=0)
    assert len(alone) == STEPS
    assert together == pytest.approx(alone, abs=1e-5)
    assert ranks[0][0]['losses'] != ranks[0][1]['losses']
    assert ranks[0][0]['backend'] == 'gloo'


@pytest.mark.parametrize('loop', ['epoch', 'iteration'])
def test_resumed_equals_uninterrupted_also_in_an_evaluation(ranks, loop):
    for seen in ranks[0]:
        assert seen[loop]
        assert seen[f'evaluates again: {loop}'] == [True] * 6


def test_three_processes_resume_to_the_bit(tmp_path):
    """Sums of two numbers are the same in any order; those of three are not."""
    result = torchrun(tmp_path, 'exact', processes=3)
    assert result.returncode == 0, result.stdout + result.stderr
    assert [(tmp_path / f'rank_{i}.json').read_text() for i in range(3)] == ['true'] * 3


def test_all_stop_when_one_sees_a_loss_that_is_not_finite(ranks):
    for seen in ranks[0]:
        assert 'process 1: loss_extra is nan' in seen['stops']
        assert 'process 0' not in seen['stops']
    assert [seen['leaves out'] for seen in ranks[0]] == [5, 5]  # of six


def test_a_signal_to_one_stops_all_after_their_step(ranks):
    for seen in ranks[0]:
        assert seen['accumulated'] == [138, 4, True]
        assert seen['told while they agree'] == [143, 3]


def test_all_save_when_one_loses_a_data_worker(ranks):
    first, second = (seen['loses a worker'] for seen in ranks[0])
    assert first.startswith('another process lost a data worker. ')
    assert 'is killed by signal: Killed: most likely the machine ran out of memory' in second
    for said in (first, second):
        assert 'interrupted.pth continues with epoch 1, iteration 3; continue with the sa' in said


def test_all_evaluate_alike_and_write_nothing_to_the_current_directory(ranks):
    assert [seen['statistics'] for seen in ranks[0]] == [[1.0, 1.0, 5]] * 2
    (first, tested), second = (seen['evaluated'] for seen in ranks[0])
    assert [first, tested] == second
    assert tested == pytest.approx(first)


def test_only_the_first_process_writes(ranks):
    folder = ranks[1] / 'epoch' / 'whole'
    assert {path.name for path in folder.glob('*.pth')} == {'epoch_1.pth', 'epoch_2.pth'}
    assert load_file(folder / 'epoch_2.pth')['data_stream']['number of processes'] == 2
    assert len(list(folder.glob('*/vis_data'))) == 1


def test_a_lost_process_ends_the_job_with_a_message(tmp_path):
    result = torchrun(tmp_path, 'lost')
    assert result.returncode != 0
    output = result.stdout + result.stderr
    assert 'Signal 9 (SIGKILL)' in output  # torchrun says who died of what
    assert 'error: another process of this run has ended' in output
    assert load_file(tmp_path / 'epoch_1.pth')['meta']['epoch'] == 1
