"""The comparison of variants: what runs, what is kept, what is refused before the first run."""

import csv
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from argparse import Namespace

import pytest
import torch

from tools.compare import main, read_arguments
from tools.studies import comparing
from vitbackbones.configuration.names import config_files
from vitbackbones.errors import InputError

from ..commands.conftest import PATIENCE, ROOT, TINY_CLS, without_threads
from ..isolation import process_of_its_own

SCRIPT = ROOT / 'tools' / 'compare.py'

COPY = "test_dataloader = {**val_dataloader, 'dataset': {**val_dataloader['dataset']}}"
STUDY = """'''Widths.'''
base = 'base.py'
source = 'a paper'
metric = 'accuracy/top1'
length = 2
seeds = (0, 1)
baseline = 'narrow'
variants = dict(
    narrow=dict(paper=1.0),
    wide=dict(options={'model.backbone.arch.num_heads': 4}, paper=2.0),
)
"""
# In place of `train`: notes its arguments; 50 and 51 for seeds 0 and 1, with 4 heads 10 more,
# 1 less at a rate of 0.1.
TRAIN = """
import json, os, pathlib, runpy, signal, sys, time
config = runpy.run_path(sys.argv[1])
folder = pathlib.Path(sys.argv[sys.argv.index('--work-dir') + 1])
with open(folder.parents[1] / 'calls', 'a') as file:
    print(*sys.argv[2:], os.environ.get('CUDA_VISIBLE_DEVICES'), file=file)
heads, seed = config['model']['backbone']['arch']['num_heads'], config['randomness']['seed']
log = folder / 'time' / 'vis_data'
log.mkdir(parents=True, exist_ok=True)
BEFORE
rate = config['optim_wrapper']['optimizer']['lr']
result = {'accuracy/top1': 50 + seed + (10 if heads == 4 else 0) - (rate == 0.1)}
line = {**result, 'step': config['train_cfg']['max_epochs']}
(log / 'scalars.json').write_text(json.dumps(line) + '\\n')
"""
FAILS = "if heads == 4 and seed == 1: sys.exit('out of memory')"
WAITS = """
def save(*_):
    time.sleep(0.3)
    (folder / 'saved').touch()
    sys.exit(143)
signal.signal(signal.SIGTERM, save)
(folder / 'ready').touch()
time.sleep(60)
"""


@pytest.fixture
def study(tmp_path, monkeypatch):
    """Runs a study with a stand-in for the verb train."""
    monkeypatch.setattr(comparing, 'PROGRAM', [sys.executable, str(tmp_path / 'train.py')])

    def run(before='', test='val', **options):
        base = TINY_CLS.read_text() + f"test_dataloader['dataset']['data_prefix'] = '{test}'"
        base = base.replace('test_dataloader = val_dataloader', COPY)
        (tmp_path / 'base.py').write_text(base)
        (tmp_path / 'study.py').write_text(STUDY)
        (tmp_path / 'train.py').write_text(TRAIN.replace('BEFORE', before))
        for split in ('train', 'val', test):
            (tmp_path / 'data' / split).mkdir(parents=True, exist_ok=True)
        given = {'gpus': None, 'jobs': 2, 'ray': None, 'dry_run': False, **options}
        places = {'work_dir': tmp_path / 'runs', 'data_root': str(tmp_path / 'data')}
        comparing.compare(Namespace(study=tmp_path / 'study.py', **places, **given))

    run.folder = tmp_path / 'runs' / 'study'
    return run


def calls(folder):
    return sorted((folder / 'calls').read_text().splitlines())


def rows(folder, name):
    with open(folder / name) as file:
        return list(csv.DictReader(file))


def test_every_variant_and_seed_is_a_run_and_a_number(study):
    study()
    assert rows(study.folder, 'runs.csv') == [
        {'variant': 'narrow', 'rate': '', 'seed': '0', 'accuracy/top1': '50'},
        {'variant': 'wide', 'rate': '', 'seed': '0', 'accuracy/top1': '60'},
        {'variant': 'narrow', 'rate': '', 'seed': '1', 'accuracy/top1': '51'},
        {'variant': 'wide', 'rate': '', 'seed': '1', 'accuracy/top1': '61'},
    ]
    narrow, wide = rows(study.folder, 'table.csv')
    assert (narrow['mean'], wide['mean'], wide['difference']) == ('50.50', '60.50', '+10.00')
    assert (wide['verdict'], wide['paper_difference']) == ('higher', '+1.00')
    assert narrow['parameters'] == wide['parameters'] != '0.000'  # heads have none
    text = (study.folder / 'table.md').read_text()
    assert text.startswith('Widths.\n\naccuracy/top1. Paper: a paper. ')
    assert (study.folder / 'study.png').stat().st_size > 1000


def test_a_cluster_trains_what_one_machine_does(study, monkeypatch, capsys):
    def tasks(address, function, given):
        assert address == 'auto'
        return (function(*each) for each in given)

    study()
    alone = rows(study.folder, 'runs.csv')
    shutil.rmtree(study.folder)
    monkeypatch.setattr(comparing, 'run_tasks', tasks)
    study(ray='auto')
    assert rows(study.folder, 'runs.csv') == alone
    assert 'accuracy/top1 61.00' in capsys.readouterr().out


def test_a_run_that_fails_on_a_cluster_is_named(study, monkeypatch, capsys):
    monkeypatch.setattr(comparing, 'run_tasks', lambda _, function, given: (9 for _ in given))
    with pytest.raises(InputError, match='^4 of 4 runs failed: '):
        study(ray='auto')
    assert 'failed: narrow, seed 0 (exit status 9), see ' in capsys.readouterr().err


RATES = 'seeds = (0, 1)\nrates = (0.1, 0.01)\nsmallest_effect = 1'


def test_each_variant_is_trained_at_the_rate_that_is_best_for_it(study, monkeypatch, capsys):
    monkeypatch.setitem(globals(), 'STUDY', STUDY.replace('seeds = (0, 1)', RATES))
    study(test='test')
    assert 'study: 8 of 8 runs to go' in capsys.readouterr().out
    found = [(row['rate'], row['seed']) for row in rows(study.folder, 'runs.csv')]
    assert found[:4] == 2 * [('0.1', '2'), ('0.01', '2')]  # a seed that the table has not
    assert found[4:] == 2 * [('0.01', '0')] + 2 * [('0.01', '1')]
    assert [row['rate'] for row in rows(study.folder, 'table.csv')] == ['0.01', '0.01']
    assert len([*study.folder.glob('*/rate_0.1/seed_2.py')]) == 2
    study(test='test')
    assert 'study: 0 of 8 runs to go' in capsys.readouterr().out


def test_a_variant_without_its_rate_is_not_trained(study, monkeypatch):
    monkeypatch.setitem(globals(), 'STUDY', STUDY.replace('seeds = (0, 1)', RATES))
    fails = "if heads == 4 and seed == 2: sys.exit('diverged')"
    with pytest.raises(
        InputError, match='2 of 8 runs .* Not trained, because no learning rate was found: wide'
    ):
        study(fails, test='test')
    assert [row['runs'] for row in rows(study.folder, 'table.csv')] == ['2', '0']


def test_what_is_expected_after_the_first_run_is_said(study, monkeypatch):
    table = study.folder / 'table.md'
    study()
    assert 'have not changed since the first run' in table.read_text()
    changed = STUDY.replace('paper=2.0', 'paper=2.0, expected=(9, 11)')
    monkeypatch.setitem(globals(), 'STUDY', changed)
    study()
    assert 'have changed since the first run' in table.read_text()
    (study.folder / 'preregistered.txt').unlink()
    study()
    assert 'have changed since the first run' in table.read_text()


def test_pictures_are_compared_one_by_one(study, monkeypatch):
    noted = """
import numpy
numpy.save(folder / 'correct.npy', numpy.arange(1000) < (600 if heads == 4 else 500))
"""
    study(noted)
    low, _, high = rows(study.folder, 'table.csv')[1]['over_pictures'].split()
    assert 7 < float(low) < 10 < float(high) < 13


def test_the_others_go_on_when_a_run_fails_and_the_same_command_tries_it_again(study, capsys):
    with pytest.raises(InputError, match='1 of 4 runs failed: wide, seed 1;'):
        study(FAILS)
    log = study.folder / 'wide' / 'seed_1.log'
    assert f'failed: wide, seed 1 (exit status 1), see {log}' in capsys.readouterr().err
    assert 'out of memory' in log.read_text()
    assert rows(study.folder, 'table.csv')[1]['runs'] == '1'
    (study.folder / 'calls').unlink()
    torch.save({}, study.folder / 'wide' / 'seed_1' / 'epoch_1.pth')
    study()
    (line,) = calls(study.folder)
    assert ' --resume ' in line
    assert rows(study.folder, 'table.csv')[1]['runs'] == '2'


def test_a_run_that_leaves_no_number_has_failed(study):
    with pytest.raises(InputError, match='4 of 4 runs failed'):
        study('sys.exit()')


def test_an_interruption_is_passed_on_and_waited_for(study):
    def interrupt():
        end = time.monotonic() + PATIENCE
        while len([*study.folder.glob('*/*/ready')]) < 2 and time.monotonic() < end:
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        study(WAITS)
    assert len(calls(study.folder)) == len([*study.folder.glob('*/*/saved')]) == 2
    assert (study.folder / 'table.md').is_file()


def test_runs_of_other_settings_are_not_mixed(study, monkeypatch):
    study()
    monkeypatch.setitem(globals(), 'STUDY', STUDY.replace('length = 2', 'length = 3'))
    with pytest.raises(InputError, match='seed_0: was started with other settings'):
        study()


def test_gpus_are_those_that_this_process_may_use(study, monkeypatch):
    monkeypatch.setattr('torch.cuda.device_count', lambda: 2)
    monkeypatch.setenv('CUDA_VISIBLE_DEVICES', '4,6')
    with pytest.raises(InputError, match='--gpus 2: this process can use 2 GPUs'):
        study(gpus=[0, 2])
    assert not study.folder.exists()
    study(gpus=[1, 0])
    assert {line.split()[-1] for line in calls(study.folder)} == {'4', '6'}


@pytest.mark.parametrize(
    ('old', 'new', 'messages'),
    [
        ('arch.num_heads', 'archh.num_heads', ("variant 'wide'", 'archh: unknown key')),
        ('accuracy/top1', 'accuracy/top9', ("variant 'narrow': metric: 'accuracy/top9' is not",)),
    ],
)
def test_what_cannot_be_trained_is_refused_before_the_first_run(
    study, monkeypatch, old, new, messages
):
    monkeypatch.setitem(globals(), 'STUDY', STUDY.replace(old, new))
    with pytest.raises(InputError) as caught:
        study()
    assert [text for text in messages if text not in str(caught.value)] == []
    assert not study.folder.exists()


def test_the_script_that_compares_quick_recipes_names_shipped_configs():
    text = (ROOT / 'tools' / 'compare_quick.sh').read_text()
    names = re.findall(r'^compare (\w+)', text, re.MULTILINE)
    assert len(names) == 4
    assert {*names} <= {*config_files()}


@pytest.mark.threads
def test_a_study_is_trained(folders, tmp_path):
    (tmp_path / 'base.py').write_text(TINY_CLS.read_text())
    (tmp_path / 'study.py').write_text(STUDY.replace('(0, 1)', '(0,)'))
    words = [sys.executable, SCRIPT, 'study.py', '--data-root', folders, '--work-dir', 'runs']
    settings = {'env': without_threads(), 'cwd': tmp_path, 'timeout': PATIENCE}
    done = subprocess.run(words, capture_output=True, text=True, **settings)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(rows(tmp_path / 'runs' / 'study', 'runs.csv')) == 2


@pytest.mark.parametrize(
    'path', sorted((ROOT / 'configs' / 'studies').glob('*.py')), ids=lambda path: path.stem
)
def test_a_shipped_study_can_be_trained(monkeypatch, capsys, tmp_path, path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'data').mkdir()
    for name in ('train-images-idx3', 'train-labels-idx1', 't10k-images-idx3', 't10k-labels-idx1'):
        (tmp_path / 'data' / f'{name}-ubyte.gz').touch()
    for split in ('train', 'val', 'test'):  # of Shapes, and of Tiny-ImageNet
        (tmp_path / 'data' / split).mkdir()
        (tmp_path / 'data/images' / split).mkdir(parents=True)
        (tmp_path / 'data/annotations' / split).mkdir(parents=True)
        (tmp_path / f'data/annotations/instances_{split}.json').touch()
    with process_of_its_own():
        main(read_arguments([str(path), '--data-root', 'data', '--dry-run']))
    said, *commands = capsys.readouterr().out.splitlines()
    assert said == f'{path.stem}: {len(commands)} of {len(commands)} runs to go'
    assert all(
        '/tools/train.py ' in line and line.endswith(' --data-root data') for line in commands
    )
    assert not (tmp_path / 'work_dirs').exists()
    assert f'python tools/compare.py configs/studies/{path.name}' in path.read_text()


def test_a_package_that_is_missing_is_one_message(monkeypatch):
    monkeypatch.delitem(sys.modules, 'vitbackbones.running.train', raising=False)
    monkeypatch.setitem(sys.modules, 'mmengine.config', None)
    with pytest.raises(InputError, match='tools/compare.py requires the package mmengine.config'):
        main(read_arguments(['study.py']))


def test_an_unknown_option_is_refused_with_the_nearest(capsys):
    with pytest.raises(SystemExit) as stop:
        read_arguments(['study.py', '--dry-rum'])
    assert stop.value.code == 2
    assert "unrecognized arguments: --dry-rum; did you mean '--dry-run'?" in capsys.readouterr().err
