"""The real commands: train, Ctrl-C, resume, test and draw; smoke; two processes."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest
import torch
from PIL import Image

from .conftest import PATIENCE, ROOT, TINY, TINY_SEG, without_threads

pytestmark = pytest.mark.compat


@pytest.fixture
def start(tmp_path):
    """Start a command in an empty directory."""
    port = 20000 + os.getpid() % 10000
    environment = without_threads() | {'PORT': str(port), 'PYTHON': sys.executable}
    started = []

    def start(*command):
        process = subprocess.Popen(
            [str(word) for word in command],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # with its data workers


def finish(process, status=0):
    output, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == status, output
    return output


def wait_for(path):
    end = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < end, f'{path} did not appear'
        time.sleep(0.05)


@pytest.mark.threads
def test_train_interrupt_resume_test_draw(start, data, tmp_path):
    train = [sys.executable, ROOT / 'tools' / 'train.py', TINY, '--scratch', '--data-root', data]
    long = ['--cfg-options', 'train_cfg.max_epochs=1000']
    work_dir = tmp_path / 'work_dirs' / 'tiny_detr'

    process = start(*train, *long)
    wait_for(work_dir / 'epoch_1.pth')
    process.send_signal(signal.SIGINT)
    output = finish(process, status=130)
    assert 'interrupted: ' in output
    *_, last = output.splitlines()
    assert last.startswith('continue with: python ')
    assert last.endswith(f'--data-root {data} {" ".join(long)} --resume')
    assert 'Traceback' not in output
    assert (work_dir / 'interrupted.pth').is_file()

    epoch, step = re.search(r'continues with epoch (\d+), iteration (\d+)', output).groups()
    assert (int(step) - 1) // 4 == int(epoch) - 1
    end = ['--cfg-options', f'train_cfg.max_epochs={epoch}', '--resume']
    output = finish(start(*train, *end))
    assert f'resumed epoch: {int(epoch) - 1}, iter: {int(step) - 1}' in output
    assert (work_dir / f'epoch_{epoch}.pth').is_file()
    assert len(list(work_dir.glob('epoch_*.pth'))) == 1

    test = [sys.executable, ROOT / 'tools' / 'test.py', TINY, work_dir, '--data-root', data]
    draw = ['--draw', 'pictures', '--num-pictures', '3', '--score-threshold', '0']
    output = finish(start(*test, *draw))
    assert re.search(r'^coco/bbox_mAP +-?\d\.\d{3}$', output, re.M)
    assert '3 images in pictures, all of them in pictures/contact_sheet.png' in output
    names = {path.name for path in (tmp_path / 'pictures').iterdir()}
    assert names == {f'0000{i}_00000{i}.png' for i in (0, 2, 3)} | {'contact_sheet.png'}
    assert Image.open(tmp_path / 'pictures' / 'contact_sheet.png').width > 800


def test_names_of_classes_do_not_reach_the_terminal_as_orders(tool, data, tmp_path):
    folder, config = tmp_path / 'data', tmp_path / 'config.py'
    shutil.copytree(data, folder)
    for path in folder.glob('annotations/*.json'):
        path.write_text(path.read_text().replace('"circle"', '"cir\\u001b[31mcle"'))
    about = {'dataset': {'metainfo': {'classes': ('cir\x1b[31mcle', 'square', 'triangle')}}}
    scores = {'classwise': True}
    parts = [f'{split}_dataloader = {about}' for split in ('train', 'val', 'test')]
    parts += [f'{split}_evaluator = {scores}' for split in ('val', 'test')]
    config.write_text('\n'.join([f'_base_ = {str(TINY)!r}', *parts]))
    common = ['--data-root', folder, '--work-dir', tmp_path / 'run']
    trained = tool('train', config, '--scratch', *common)
    tested = tool('test', config, tmp_path / 'run', *common)
    for result, shown in ((trained, r'| cir\x1b[31mcle '), (tested, r'coco/cir\x1b[31mcle_prec')):
        assert shown in result.out, result.err
        assert '\x1b' not in result.out + result.err


def test_smoke_and_amp(run, tmp_path):
    """In a folder of its own, always anew: what a run has written stays as it is."""
    (tmp_path / 'smoke').mkdir()
    (tmp_path / 'smoke' / 'interrupted.pth').write_text('of an earlier smoke test')
    (tmp_path / 'iter_3.pth').write_text('weights')
    result = run('train', TINY_SEG, '--smoke', '--amp', '--work-dir', tmp_path)
    assert (tmp_path / 'iter_3.pth').read_text() == 'weights'
    assert not (tmp_path / 'smoke' / 'interrupted.pth').exists()
    used = (tmp_path / 'smoke' / TINY_SEG.name).read_text()
    assert re.search(r"type='\S*(Bf16|Amp)OptimWrapper'", used)
    passed = r'smoke test passed in \d+ s: tiny_seg, 3 steps .*iter_3.pth, 1 more step after resum'
    assert re.search(passed, result.out.splitlines()[-1])


@pytest.mark.threads
@pytest.mark.parametrize(
    'name',
    ['cls_deit_s_imagenet', 'mask2former_panoptic_pvt_s_shapes', 'setr_mla_msf_vit_ti_shapes'],
)
def test_smoke_of_a_recipe_of_each_task(start, tmp_path, name):
    """Without data and weights."""
    output = finish(start(sys.executable, ROOT / 'tools' / 'train.py', name, '--smoke'))
    assert 'smoke test passed' in output.splitlines()[-1]
    assert (tmp_path / 'work_dirs' / name / 'smoke' / 'last_checkpoint').is_file()


def test_two_processes_on_cpus(start, data, tmp_path):
    one_epoch = ['--cfg-options', 'train_cfg.max_epochs=1']
    script = ROOT / 'tools' / 'dist_train.sh'
    output = finish(start(script, TINY, 2, '--scratch', '--data-root', data, *one_epoch))
    assert 'Epoch(train) [1][2/2]' in output  # half of the four iterations of one process
    assert (tmp_path / 'work_dirs' / 'tiny_detr' / 'epoch_1.pth').is_file()


KILLED_ONCE = """
import os
from mmengine.hooks import Hook
from mmengine.registry import HOOKS

@HOOKS.register_module()
class KilledOnce(Hook):
    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None):
        first = os.environ['TORCHELASTIC_RESTART_COUNT'] == '0'
        if first and runner.iter == 2 and os.environ['RANK'] == '1':
            os.kill(os.getpid(), 9)
"""


needs_sharding = pytest.mark.skipif(
    torch.__version__ < '2.11' and not torch.cuda.is_available(),
    reason='torch 2.6 cannot divide weights on a CPU; 2.11 is the next that was tried',
)


@pytest.mark.parametrize('options', [[], pytest.param(['--fsdp'], marks=needs_sharding)])
def test_a_run_that_loses_a_process_goes_on_by_itself(start, data, tmp_path, options):
    """In the second epoch, from the checkpoint of the first."""
    (tmp_path / 'killed_once.py').write_text(KILLED_ONCE)
    imports = "custom_imports = dict(imports=['vitbackbones', 'killed_once'])\n"
    hook = "custom_hooks = [dict(type='KilledOnce')]\n"
    (tmp_path / 'run.py').write_text(f"_base_ = ['{TINY}']\n{imports}{hook}")
    options = [*options, '--scratch', '--cfg-options', 'train_cfg.max_epochs=2']
    script, variables = ROOT / 'tools' / 'dist_train.sh', f'PYTHONPATH={ROOT}:{tmp_path}'
    command = ['env', variables, 'MAX_RESTARTS=1', script, 'run.py', 2, '--data-root', data]
    output = finish(start(*command, *options))
    assert 'resumed epoch: 1, iter: 2' in output
    assert 'Epoch(train) [1]' not in output.partition('resumed epoch')[2]
    assert 'not exactly as before' not in output
    assert (tmp_path / 'work_dirs' / 'run' / 'epoch_2.pth').is_file()


def test_slurm_command(start, tmp_path):
    """What would be submitted, with a stand-in for srun."""
    (tmp_path / 'srun').write_text('#!/bin/sh\necho "$0 $@"\n')
    (tmp_path / 'srun').chmod(0o755)
    script = ROOT / 'tools' / 'slurm_train.sh'
    environment = ['env', f'PATH={tmp_path}:{os.environ["PATH"]}', 'GPUS=2']
    output = finish(start(*environment, script, 'part', 'job', 'a.py', 'out', '--amp'))
    assert '-p part --job-name=job --gres=gpu:2 --ntasks=2 --ntasks-per-node=2' in output
    assert output.strip().endswith('train.py a.py --launcher slurm --work-dir out --amp')
