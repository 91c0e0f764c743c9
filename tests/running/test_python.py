"""``vitbackbones.train`` and ``test``, as cells of a notebook call them."""

import gc
import logging
import shlex
import signal
import sys
from inspect import signature
from multiprocessing import active_children
from pathlib import Path
from threading import Thread

import pytest
import torch
from mmengine.config import Config
from mmengine.device import utils as device_module
from mmengine.hooks import Hook
from mmengine.logging import MessageHub, MMLogger
from mmengine.registry import HOOKS, DefaultScope
from mmengine.visualization import Visualizer

import vitbackbones
from vitbackbones.errors import InputError, TrainingInterrupted
from vitbackbones.running import next_steps
from vitbackbones.running.process_state import RUNS
from vitbackbones.training import cores
from vitbackbones.training.console import QuietRunner
from vitbackbones.weights.read.load import load_file

from ..commands.conftest import PATIENCE, TINY, TINY_CLS, TINY_SEG
from ..training.hooks.test_interrupt import Signal  # noqa: F401 -- registers the hook

pytestmark = pytest.mark.compat
KINDS = (DefaultScope, MMLogger, MessageHub, Visualizer)
WITH_SIGNAL = {'custom_hooks': [{'type': 'Signal'}]}
LONG = {'train_cfg.max_epochs': 3}
BATCH = {'train_dataloader.batch_size': 3}
BEST = {'default_hooks.checkpoint.save_best': 'coco/bbox_mAP'}


@HOOKS.register_module()
class Fails(Hook):
    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None):
        raise LookupError('a hook of a user')


@pytest.fixture
def notebook(data, tmp_path, monkeypatch):
    """Train a tiny DETR in an empty directory, where ``sys.argv`` is that of a kernel."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, 'argv', ['ipykernel_launcher.py', '-f', 'kernel.json'])

    def train(work_dir, config=TINY, **options):
        options = {'data_root': data, 'scratch': config == TINY} | options
        return vitbackbones.train(config, work_dir=work_dir, **options)

    return train


def weights(checkpoint):
    return load_file(Path(checkpoint))['state_dict']


def same(first, second):
    assert first.keys() == second.keys()
    return all(torch.equal(first[key], second[key]) for key in first)


def test_two_trainings_a_test_and_a_model_in_one_process(notebook, data, run):
    first = notebook('first', cfg_options=BEST)
    log = first.log.read_text()
    second = notebook('second')
    assert first.log.read_text() == log
    assert first.work_dir == Path('first').absolute()
    assert first.checkpoint.name == second.checkpoint.name == 'epoch_2.pth'
    assert first.best.name.startswith('best_coco_bbox_mAP_epoch_2')
    assert second.best is None
    assert first.curves.is_file()
    assert first.metrics == second.metrics
    assert {type(value) for value in first.metrics.values()} == {float}
    run('train', TINY, '--scratch', '--data-root', data, '--work-dir', 'command')
    for checkpoint in (second.checkpoint, 'command/epoch_2.pth'):
        assert same(weights(first.checkpoint), weights(checkpoint))

    tested = vitbackbones.test(TINY, first.work_dir, data_root=data, report=Path('page'))
    assert tested.metrics == pytest.approx(first.metrics, abs=1e-3)
    assert tested.checkpoint == first.checkpoint
    assert tested.report == Path('page/report.html').absolute()
    with vitbackbones.open_model(TINY, first.checkpoint, runtime='torch') as model:
        assert len(model.predict([data / 'images/val/000000.jpg'])) == 1


def test_a_line_is_shown_once_where_the_root_logger_shows_lines_too(notebook, capsys, monkeypatch):
    """As in Colab, whose root logger has a handler."""
    monkeypatch.setattr(logging.getLogger(), 'handlers', [logging.StreamHandler(sys.stdout)])
    for folder in ('first', 'second'):
        notebook(folder, TINY_SEG, steps=2)
        assert capsys.readouterr().out.count('Saving checkpoint at 2 iterations') == 1


def test_another_start_replaces_load_from_of_the_config_but_not_of_the_options(notebook, capsys):
    first = str(notebook('first', TINY_SEG, steps=2).checkpoint)
    mine = Path('mine.py')
    mine.write_text(f"_base_ = '{TINY_SEG}'\nload_from = '{first}'\n")
    loaded = f'load_from {Path(first).name}: '
    asked = {'cfg_options': {'load_from': first}}
    cases = [({}, True), ({'scratch': True}, False), ({'pretrained': first}, False)]
    cases += [({**asked, 'scratch': True}, True)]
    for number, (options, expected) in enumerate(cases):
        capsys.readouterr()
        notebook(f'run{number}', str(mine), steps=2, **options)
        assert (loaded in capsys.readouterr().out) == expected, options


def test_nothing_of_a_run_stays_in_the_process(notebook, capsys, monkeypatch):
    monkeypatch.setattr(cores, 'available_cores', lambda: 4)  # of which one loads data
    scope = DefaultScope.get_instance('mine', scope_name='mmpretrain')
    Visualizer.get_instance('visualizer', save_dir='of_the_user')  # which a run's would be
    before = [dict(kind._instance_dict) for kind in KINDS]
    threads = torch.get_num_threads()
    workers = {'train_dataloader.num_workers': 1, 'train_dataloader.persistent_workers': True}
    detector = notebook('detector', epochs=1, cfg_options=workers)
    assert detector.log.is_file()
    assert not Path('of_the_user').exists()
    assert torch.get_num_threads() == threads
    for worker in active_children():  # told to end, with the loader that had it
        worker.join(PATIENCE)
    assert not active_children()
    assert not [each for each in gc.get_objects() if isinstance(each, QuietRunner)]
    segmentor = notebook('segmentor', TINY_SEG, steps=2)  # of another toolbox
    assert segmentor.checkpoint.name == 'iter_2.pth'
    assert [dict(kind._instance_dict) for kind in KINDS] == before
    assert DefaultScope.get_current_instance() is scope
    said = capsys.readouterr().out
    assert said.count('Iter(train) [2/2]') == 1
    assert '--steps 2: learning rates, evaluations and checkpoints are scaled' in said
    text = next(segmentor.work_dir.glob('*/*.log')).read_text()
    assert f'command: vitbackbones train {TINY_SEG} --work-dir segmentor --data-root' in text
    assert 'ipykernel' not in text


def test_handles_change_what_a_run_does(notebook, data, capsys):
    handles = {'size': 96, 'batch_size': 3, 'lr': 5e-4, 'seed': 7, 'workers': 0, 'device': 'cpu'}
    run = notebook('run', TINY_SEG, steps=3, **handles)
    saved = Config.fromfile(str(next(run.work_dir.glob('*/vis_data/config.py'))))
    assert saved.train_dataloader.batch_size == 3
    assert saved.optim_wrapper.optimizer.lr == 5e-4
    assert saved.randomness.seed == 7
    assert saved.model.data_preprocessor.size == (96, 96)
    assert saved.model.test_cfg.stride == (64, 64)  # of 43 at 64
    assert '--size 96: SegDataPreProcessor.size=(96, 96)' in capsys.readouterr().out
    options = {'size': 96, 'batch_size': 2, 'device': 'cpu', 'work_dir': 'test'}
    vitbackbones.test(TINY_SEG, run.work_dir, data_root=data, **options)
    tested = Config.fromfile(str(next(Path('test').glob('*/vis_data/config.py'))))
    assert tested.test_dataloader.batch_size == 2
    assert tested.test_dataloader.dataset.pipeline[1].scale == (384, 96)
    with vitbackbones.open_model(TINY_SEG, run.checkpoint, size=96, runtime='torch') as model:
        assert model.predict(data / 'images/val/000000.jpg')


def test_a_length_in_the_settings_alone_scales_the_schedule(notebook, tmp_path, capsys):
    """Evaluations and checkpoints stay where they are, as they did before."""
    schedule = {'type': 'CosineAnnealingLR', 'T_max': 6, 'end': 6, 'by_epoch': False}
    config = tmp_path / 'config.py'
    config.write_text(f'_base_ = {str(TINY_SEG)!r}\nparam_scheduler = [{schedule}]')
    alone = {'train_cfg.max_iters': 3}
    run = notebook('alone', config, cfg_options=alone)
    assert run.checkpoint.name == 'iter_3.pth'
    said = capsys.readouterr().out
    assert 'train_cfg.max_iters=3: learning rates are scaled to this length; --steps 3 al' in said
    saved = Config.fromfile(str(next(run.work_dir.glob('*/vis_data/config.py'))))
    assert saved.param_scheduler == [{**schedule, 'T_max': 3, 'end': 3, 'begin': 0}]
    assert saved.train_cfg.val_interval == saved.default_hooks.checkpoint.interval == 6
    notebook('both', config, cfg_options={**alone, 'param_scheduler': [schedule]})
    assert 'are scaled' not in capsys.readouterr().out


def test_a_run_without_gain_stops_and_says_what_is_next(notebook, run, data, capsys, monkeypatch):
    """An equal metric is no gain: here AP stays at one value."""
    often = {'train_cfg.val_interval': 1}
    notebook('short', epochs=6, patience=2, lr=1e-12, cfg_options=often)
    assert 'unlikely to help' not in capsys.readouterr().out  # nothing is expected so early
    monkeypatch.setattr(next_steps, 'SHORT', 0)
    still = notebook('still', epochs=6, patience=2, lr=1e-12, cfg_options=often)
    assert still.checkpoint.name == 'epoch_3.pth'
    assert still.best.name == 'best_coco_bbox_mAP_epoch_1.pth'
    said = capsys.readouterr().out
    assert (
        'stopping early: coco/bbox_mAP: the monitored metric did not improve in the last 2' in said
    )
    weights, advice, test, predict = said.splitlines()[-4:]
    best = f'still/{still.best.name}'
    value = still.metrics['coco/bbox_mAP']
    assert weights == f'weights: {best} (coco/bbox_mAP {value:.3f} on 4 validation images)'
    assert advice.startswith('coco/bbox_mAP has not improved in the last 2 evaluations; a longer')
    assert test == f'next: vitbackbones test still/tiny_detr.py {best} --report report'
    run(*shlex.split(test)[2:])
    command = predict.replace('IMAGES', str(data / 'images/val'))
    run(*shlex.split(command)[2:])
    assert Path('out/predictions.json').is_file()


def test_a_resumed_run_says_which_handles_have_no_effect(notebook, capsys):
    notebook('run', TINY_SEG, steps=2)
    capsys.readouterr()
    notebook('run', TINY_SEG, steps=3, resume=True, lr=0.5)
    changed = 'optim_wrapper of the config has changed (the learning rate stays as in the checkp'
    assert changed in capsys.readouterr().out
    notebook('run', TINY_SEG, steps=4, resume=True, batch_size=1)
    assert 'batch size was 2, is 1' in capsys.readouterr().out
    notebook('run', TINY_SEG, steps=5, resume=True, size=96)
    said = 'model of the config has changed, train_dataloader of the config has changed'
    assert said in capsys.readouterr().out


def test_the_device_of_a_call_is_its_own(notebook, monkeypatch):
    monkeypatch.setattr(device_module, 'DEVICE', 'mps')
    with pytest.raises(InputError, match='no such config file'):
        vitbackbones.train('nothing', device='cpu')
    assert device_module.DEVICE == 'mps'


def test_ctrl_c_leaves_a_checkpoint_and_the_same_call_resumes(notebook):
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(TrainingInterrupted, match='continue with the same call and resume=True'):
        notebook('run', cfg_options=WITH_SIGNAL)
    assert signal.getsignal(signal.SIGINT) is before
    assert Path('run/interrupted.pth').is_file()
    with pytest.raises(InputError, match='contains checkpoints of an earlier run'):
        notebook('run')
    resumed = notebook('run', resume=True)
    assert resumed.checkpoint.name == 'epoch_2.pth'
    assert same(weights(resumed.checkpoint), weights(notebook('whole').checkpoint))


def test_an_error_gives_signals_back_and_the_next_run_begins(notebook):
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(InputError, match='the first step of training fails: LookupError'):
        notebook('run', cfg_options={'custom_hooks': [{'type': 'Fails'}]})
    assert signal.getsignal(signal.SIGINT) is before
    assert not RUNS.locked()
    assert notebook('run', epochs=1).checkpoint.name == 'epoch_1.pth'


def test_in_another_thread_it_trains_and_says_that_signals_end_it(notebook, capsys):
    found = []
    thread = Thread(target=lambda: found.append(notebook('run', epochs=1)))
    thread.start()
    thread.join()
    assert found[0].checkpoint.name == 'epoch_1.pth'
    assert (
        'warning: this training does not run in the main thread: Ctrl-C' in capsys.readouterr().out
    )


def test_in_another_thread_it_trains_after_a_logger_has_failed(notebook):
    with pytest.raises(OSError, match='nowhere'):
        MMLogger.get_instance('failed', log_file='nowhere/log.txt')
    found = []
    thread = Thread(target=lambda: found.append(notebook('run', epochs=1)), daemon=True)
    thread.start()
    thread.join(120)  # it would wait forever for a lock of mmengine
    assert found


def test_one_run_at_a_time(notebook):
    with RUNS, pytest.raises(InputError, match='another run is active in this process'):
        notebook('run')


def test_a_smoke_test_in_python(notebook, capsys):
    result = notebook('run', TINY_CLS, data_root=None, smoke=True)
    assert result.work_dir == Path('run/smoke').absolute()
    assert result.checkpoint.is_file()
    assert 'smoke test passed' in capsys.readouterr().out


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'epoch': 3}, r"^unrecognized arguments: --epoch 3; did you mean '--epochs'"),
        ({'imgsz': 640}, r'--size instead of --imgsz \(In Python, --size is size=\.\.\.\)'),
        ({'size': 0}, '^argument --size: 0 is not an integer from 32 to 8192'),
        ({'size': (640, 480)}, r'^size=\(640, 480\): must be one value'),
        ({'batch_size': -1}, '^argument --batch-size: -1 is not an integer from 1'),
        ({'lr': 'auto'}, '^argument --lr: auto is not a number above 0'),
        ({'seed': '12ab'}, '^argument --seed: 12ab is not an integer from 0'),
        ({'device': 0}, '^--device 0: must be cpu, cuda, cuda:1 '),
        ({'device': 'cpu', 'launcher': 'pytorch'}, '^--device: --launcher pytorch chooses'),
        (
            {'smoke': True, 'size': 64, 'data_root': None},
            '^--smoke runs on small batches of small images; remove --s',
        ),
        ({'epochs': 2, 'cfg_options': LONG}, '^--epochs and --cfg-options train_cfg.max_epochs'),
        ({'batch_size': 2, 'cfg_options': BATCH}, '^--batch-size and --cfg-options train_dataloa'),
        ({'epochs': 0}, '^argument --epochs: 0 is not a whole number from 1'),
        ({'epochs': 3, 'steps': 3}, '^argument --steps: not allowed with argument --epochs'),
        ({'pretrained': 'a.pth'}, '^argument --pretrained: not allowed with argument --scratch'),
        ({'steps': 3}, '^--steps: .*tiny_detr.py is in epochs; use --epochs'),
        ({'patience': 0}, '^argument --patience: 0 is not a whole number from 1'),
        ({'patience': 2}, '^--patience 2: this training has only 1 evaluation, '),
        ({'smoke': True, 'patience': 3}, '^--smoke has its own length; remove --patience'),
        ({'overfit': 3, 'patience': 3}, '^--overfit: --patience has no effect here'),
        ({'smoke': True, 'epochs': 3}, '^--smoke has its own length; remove --epochs'),
        ({'overfit': 3, 'epochs': 3}, '^--overfit: --epochs has no effect here'),
        ({'freeze': 'neck'}, '^argument --freeze: neck is neither "backbone" nor'),
        ({'track': 'tensorbord'}, "^argument --track: invalid choice: 'tensorbord'"),
        ({'cache_gb': 0}, '^argument --cache-gb: 0 is not a number above 0'),
        ({'launcher': 'mpi'}, "^argument --launcher: invalid choice: 'mpi'"),
        ({'cfg_options': 'a=1'}, "^cfg_options='a=1': must be a dict"),
        ({'cfg_options': {1: 2}}, '^cfg_options: key=1: must be a string'),
        ({'epochs': [1, 2]}, r'^epochs=\[1, 2\]: must be one value'),
        ({'epochs': True}, '^epochs=True: must be one value'),
        ({'epochs': 2.5}, '^argument --epochs: 2.5 is not a whole number from 1'),
        ({'amp': 1}, '^amp=1: must be '),
        ({'data_root': ['a', 'b']}, r'^data_root=.*: must be one value'),
        ({'data_root': '-x'}, '^--data-root -x: no such folder'),
        ({'config': {'a': 1}}, '^config=.*: must be a name or a path'),
        ({'config': None}, '^config=None: must be a name or a path'),
        ({'help': True}, '^unrecognized arguments: --help'),
        ({'config': 'tiny'}, '^tiny: no such config file'),
    ],
)
def test_mistakes_are_input_errors(notebook, options, message, tmp_path):
    with pytest.raises(InputError, match=message):
        notebook('run', **{'scratch': True, **options})
    assert not [*tmp_path.rglob('*.pth')]


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'dataset': 'v3'}, "^argument --dataset: invalid choice: 'v3'"),
        ({'runtime': 'tensorrt'}, "^argument --runtime: invalid choice: 'tensorrt'"),
        ({'tta': True, 'draw': 'x'}, '^argument --draw: not allowed with argument --tta'),
        ({'score_threshold': 2}, '^argument --score-threshold: 2 is not a number from 0 to'),
        ({}, '^CHECKPOINT nowhere.pth: no checkpoint there'),
        ({'size': 5}, '^argument --size: 5 is not an integer from 32'),
        ({'device': '0,1'}, '^--device 0,1: must be cpu, cuda, cuda:1 '),
        ({'batch_size': 0}, '^argument --batch-size: 0 is not a whole number'),
    ],
)
def test_mistakes_of_a_test(notebook, options, message):
    with pytest.raises(InputError, match=message):
        vitbackbones.test(TINY, 'nowhere.pth', **options)


def test_an_error_says_what_an_option_is_called_in_python(notebook):
    with pytest.raises(InputError, match=r'--epochs \(In Python, .*--epochs is epochs=\.\.\.'):
        notebook('run', epochs=3, steps=3)
    with pytest.raises(InputError) as error:
        notebook('run', 'tiny')
    assert 'In Python' not in str(error.value)


def test_no_checkpoint_is_named():
    with pytest.raises(InputError, match='^checkpoint=None: must be a name or a path'):
        vitbackbones.test(TINY, None)


def test_editors_show_the_backbone():
    assert 'backbone' in signature(vitbackbones.train).parameters
